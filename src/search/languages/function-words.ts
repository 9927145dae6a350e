/**
 * Frequent function words in lower case, for language detection. Queries also ignore them. Languages with their own script need
 * only a short list.
 */
export const FUNCTION_WORDS = {
  ar: `في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا هل كيف متى أين لماذا أي أو أن إن كان كانت يكون تكون لا لم لن ليس هو هي هم
    نحن أنت أنا كل بعض غير بين عند عندما إذا حتى ثم قد قبل بعد منذ خلال كما لكن أيضا فقط حيث لأن مثل حول ضد بدون وفي ومن وهو وهي والتي به بها
    له لها لهم منه منها فيه فيها عليه عليها إليه إليها يمكن يمكنك يتم`,
  bg: `и на да се за от не по че са ще като това този тази тези си му ѝ до със или но ако как какво кой коя кое кои кога къде защо има може
    бъде беше бях съм сте сме аз ти той тя то ние вие те ги го й им ни ви ми във към през след преди при между без още само също така тук там
    най вече когато което който която които`,
  bn: `এবং ও এই সেই যে যা কি কী কে কেন কখন কোথায় কীভাবে কোন এটি এটা তা তার তাদের আপনি আপনার আমি আমার আমরা আমাদের তুমি তোমার সে তিনি করে করা
    করতে করুন হয় হবে হয়েছে ছিল আছে না নেই থেকে জন্য সাথে সঙ্গে মধ্যে উপর পরে আগে বা অথবা কিন্তু যদি তবে যখন এর একটি একটা কিছু সব আরও শুধু দিয়ে
    পারে পারেন`,
  ca: `el la els les l d s n m t un una uns unes de del dels a al als en per pel pels amb sense i o però que què qui com quan on quin quina quins
    quines perquè si no més molt poc també només ja ho hi es em et ens us se seu seva seus seves meu meva teu teva nostre aquest aquesta
    aquests aquestes aquell aquella això és són era eren ser estar està estan he has ha hem heu han pot poden cal fer fa sobre entre fins
    des cada tot tota tots totes altre altra altres vostre vostra vostres podeu podem`,
  cs: `a i o u v ve z ze s se na do od po pro při před za k ke nad pod mezi bez že který která které kteří co kdo jak kdy kde proč jaký jaká
    jaké zda jestli když pokud aby ale nebo ani jen také již už ještě tak to ten ta ty toto tento tato tyto já my vy on ona ono oni mi mě
    ti vás vám nás nám jeho její jejich svůj můj váš vaše vašeho vaší náš je jsou byl byla bylo byly být bude budou jsem jste jsme má mají
    může můžete lze ne není si pak více`,
  da: `og i at er en et den det de som til på af for med fra om ved efter under over mellem uden mod hos ikke kun også nu så da når hvis
    fordi men eller jeg du han hun vi man mig dig sig os dem min mit mine din dit dine sin sit sine hans hendes deres vores jer hvad hvem
    hvor hvornår hvorfor hvordan hvilken hvilket hvilke har havde have var være været bliver blev blive kan kunne skal skulle vil ville må
    der her denne dette disse nogle noget nogen alle alt meget mere ud op ind`,
  de: `der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ist sind war waren sein bin bist wird
    werden wurde wurden hat haben hatte habe kann können konnte muss müssen soll sollen will wollen darf dürfen mag ich du er sie es wir
    ihr mich dich sich uns euch ihn ihm ihnen mein meine dein deine deinen deiner deinem seine seinen ihre ihren ihrem ihrer unser unsere
    zu zum zur in im an am auf aus bei beim mit nach von vom vor für über unter um durch gegen ohne zwischen seit bis als wie was wer wen
    wem wo wann warum wieso weshalb wohin woher welche welcher welches wenn ob dass weil damit denn doch noch nur auch schon sehr mehr so
    dann da hier diese dieser dieses diesem diesen jede jeder jedes alle man`,
  el: `και του της το τα τον την των οι ο η στο στη στην στον στα στις στους με για από σε που πως πώς τι ποιος ποια ποιο πού πότε γιατί αν
    όταν ότι να θα δεν μην είναι ήταν έχει έχουν έχω έχετε μπορεί μπορείτε ή αλλά όπως ένα μια ένας μία αυτό αυτή αυτός αυτά αυτές σας μας
    μου σου τους τις κάθε όλα όλες πολύ πιο μόνο επίσης μετά πριν ως κατά`,
  en: `a an the this that these those such same other another each every either neither both all any some no none
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones
    who whom whose which what when where why how whether
    and or but nor so yet if then else than because as while although though unless until since
    of in on at by to from for with without within into onto upon about above below under over between among through
    during before after against toward towards via per up down out off
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would
    not only very too also just more most much many few own again further once here there now ever
    dont doesnt didnt isnt arent wasnt werent wont wouldnt cant cannot couldnt shouldnt havent hasnt hadnt`,
  es: `el la los las un una unos unas de del a al en por para con sin sobre entre hasta desde según durante y e o u pero sino que qué quién
    quiénes cómo cuándo dónde cuál cuáles cuánto cuánta porque si no sí más muy también ya solo sólo como cuando donde lo le les se me te
    nos os su sus mi mis tu tus nuestro nuestra este esta estos estas ese esa esos esas eso esto aquel aquella es son era eran ser fue
    fueron está están estar estaba he has ha han había hay cada otro otra otros otras
    yo tú él ella ellos ellas usted ustedes`,
  et: `ja on ei et see ta ma sa me te nad oma mis kes kas kuidas millal kus miks kui aga või ka ning siis nii seda selle need neid mida
    oli olid olla pole saab saavad kõik väga veel ainult juba üle alla pärast enne ilma koos kuni`,
  fa: `و در به از که این آن را با برای است هست هستند بود بودند شد شده می نمی خود تا یا اما اگر هم نیز بر چه چرا چگونه چطور کجا کی چیست
    کدام هر همه من تو او ما شما آنها آنان یک باید شود شوند کند کنند کنید کنیم کرد کرده دارد دارید دارند داشت روی زیر بین بدون پس پیش
    قبل بعد وقتی ولی فقط دیگر بیشتر خیلی توسط هایی های ها ای`,
  fi: `ja on ei se että en et emme ette eivät hän minä sinä me te he ne tämä tämän tässä tätä nämä tuo sen sitä siitä siihen joka jonka
    jota jotka joita jossa johon mikä mitä mitkä kuka ketkä miten milloin missä mistä mihin miksi kuinka jos kun koska mutta tai sekä myös
    vain niin kuin jo vielä nyt sitten ovat oli olivat olla ole olen olet olemme voi voit voivat voidaan pitää täytyy minun sinun hänen
    meidän teidän niiden heidän kaikki kaikkien ennen jälkeen ilman kanssa mukaan yli alla välillä`,
  fr: `le la les l un une des de du d au aux à en dans par pour sur sous avec sans chez vers entre et ou où mais donc or ni car que qu qui
    quoi quel quelle quels quelles comment quand pourquoi combien si ne n pas plus moins très aussi ce c cet cette ces ça cela je j tu il
    elle on nous vous ils elles me m te t se s lui leur leurs y mon ma mes ton ta tes son sa ses notre nos votre vos est sont était étaient
    être été es suis ai as a avons avez ont avait avoir peut peuvent pouvez peux faire fait comme lorsque lors depuis pendant tout toute
    tous toutes même autre autres chaque`,
  he: `של את על אל עם זה זאת זו אלה אלו הוא היא הם הן אני אתה את אנחנו אתם לא כן כי אם או אבל גם רק כל מה מי איך מתי איפה היכן למה מדוע
    איזה איזו אשר כאשר כמו יש אין היה היתה הייתה היו להיות ניתן יכול יכולה יכולים לו לה להם שלי שלך שלו שלה שלנו שלהם בו בה בהם בין אחרי
    לפני עד מן אך עוד כבר מאוד יותר ביותר`,
  hi: `का के की को में से है हैं था थे थी हो होता होती होते और या पर भी यह ये वह वे इस उस इन उन जो कि क्या क्यों कैसे कब कहाँ कौन किस कौनसा मैं हम
    आप तुम मेरा मेरी आपका आपके अपने अपना अपनी ने तक लिए साथ बाद पहले बीच बिना नहीं न अगर तो जब तब जैसे एक कुछ सभी बहुत कर करना करने करें सकते
    सकता गया किया दिया द्वारा`,
  hr: `i u na se je da za s sa od do iz o po kao koji koja koje što tko kako kada gdje zašto koliko ali ili ako ne nije su sam smo ste bio
    bila bilo biti će ću može možete ja ti on ona ono mi vi oni mu joj im nas vas njih svoj moj vaš naš ovaj ova ovo taj ta to te već još
    samo također prije poslije između bez kod pri nakon svi sve jer kad`,
  hu: `a az és hogy nem is egy ez azt ezt ami amely amelyek aki akik mi mit ki kit hogyan mikor hol miért melyik mennyi ha de vagy csak még
    már mint meg el le fel be ki van vannak volt voltak lesz lehet kell én te ő mi ti ők engem téged minket azok ezek ezen azon ennek annak
    ebben abban erre arra minden más nagyon most itt ott majd után előtt között nélkül szerint által alatt felett egyik saját így úgy
    pedig illetve valamint`,
  id: `yang dan di ke dari untuk dengan pada adalah ini itu tidak bukan akan telah sudah sedang dapat bisa harus atau tetapi tapi jika
    kalau karena sebagai oleh dalam antara tentang seperti juga hanya lebih sangat saya aku kamu anda dia ia kami kita mereka nya apa
    siapa bagaimana kapan dimana mana mengapa kenapa berapa ada saat ketika setelah sebelum agar bahwa semua setiap para lain tersebut
    secara maka lalu`,
  it: `il lo la i gli le l d c all dell dall nell sull un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla dai in nel nella nei nelle
    su sul sulla sui con per tra fra e ed o ma che chi cui cosa come quando dove perché quale quali quanto quanta se non più meno molto
    anche solo già ancora si mi ti ci vi lo li ne suo sua suoi sue mio mia miei tuo tua tuoi tue nostro vostro questo questa questi queste
    quello quella quelli quelle è sono era erano essere stato sei siamo ho hai ha abbiamo hanno avere può possono puoi fare fa ogni tutto
    tutta tutti tutte altro altra altri altre io tu lui lei noi voi loro senza dopo prima durante`,
  lt: `ir yra kad į iš su ne tai kaip bet ar o jei jeigu už apie nuo iki po per prie prieš be ant kas ką kur kada kodėl kuris kuri kurie
    šis ši šie tas ta tie jis ji jie mes jūs aš tu savo mano jūsų buvo būti bus gali galite reikia taip pat tik dar jau labai visi viskas`,
  lv: `un ir ka uz no ar par pie pēc pirms bez līdz kā kas ko kur kad kāpēc kurš kura kuri vai bet ja ne nav tas tā tie šis šī šie viņš viņa
    viņi mēs jūs es tu savu mans jūsu bija būt būs var varat ļoti tikai arī jau vēl visi viss`,
  nl: `de het een en of maar dat die dit deze is zijn was waren ben bent wordt worden werd werden heeft hebben had heb kan kunnen kon kunt
    moet moeten zal zullen wil willen mag mogen ik jij je u hij zij ze wij we jullie mij me jou hem haar hen hun ons mijn jouw uw onze in
    op aan van voor met naar uit bij om over onder tussen tot door tegen zonder na sinds te ten ter als wie wat waar wanneer waarom hoe
    welke welk niet geen ook nog al er hier daar dan toen zo zeer meer alleen want omdat zodat hoewel elk elke alle alles iets iemand
    wel worden`,
  no: `og i at er en et ei den det de som til på av for med fra om ved etter under over mellom uten mot hos ikke bare også nå så da når
    hvis fordi men eller jeg du han hun vi man meg deg seg oss dem dere min mitt mine din ditt dine sin sitt sine hans hennes deres vår
    vårt våre hva hvem hvor hvorfor hvordan hvilken hvilket hvilke har hadde ha var være vært blir ble bli kan kunne skal skulle vil ville
    må der her denne dette disse noen noe alle alt mye mer ut opp inn å`,
  pl: `i w z na do nie się że jest to o po za od dla przy przez pod nad bez między u ze we ku jak co kto kiedy gdzie dlaczego który która
    które którzy której którego jaki jaka jakie czy jeśli jeżeli gdy ale lub albo oraz a ani tylko także też już jeszcze tak ten ta te tego
    tej tym tych ja ty on ona ono my wy oni one mnie mi cię ci go mu jej ich im nas nam was wam swój swoje swoją mój moje twój twoje twojego
    nasz są był była było były być będzie będą może możesz mogą można ma mają mieć bardzo więcej każdy wszystkie`,
  pt: `o a os as um uma uns umas de do da dos das ao à aos às em no na nos nas num numa por pelo pela pelos pelas para com sem sobre entre
    até desde e ou mas que quem qual quais quando onde como porque porquê se não sim mais muito também já só apenas lhe lhes me te nos seu
    sua seus suas meu minha meus teu tua nosso nossa este esta estes estas esse essa esses essas isso isto aquele aquela é são era eram ser
    foi foram está estão estar estava tem têm ter tinha há pode podem você vocês eu tu ele ela eles elas nós fazer faz cada todo toda todos
    todas outro outra outros outras`,
  ro: `și de la în a al ai ale cu pe din pentru care ce cine cum când unde cât care este sunt era erau fi fost fiind am ai are au avea nu da
    mai foarte doar sau dar dacă că să se îmi îți își îl o le lui ei lor un una unui unei acest această aceste acestui acestei acel aceea
    acestea eu tu el ea noi voi ei ele meu mea tău ta său sa sau dvs prin până după înainte între fără sub despre către fiecare tot toate
    toți alt altă alte poate puteți pot poți face ca`,
  ru: `и в во не на что он она оно они с со а как так его её но да ты вы я мы к у же от за по из о об для до при про без под над между
    через или если когда где кто кого чем что чего чему почему зачем какой какая какие какое который которая которые которое которых это
    этот эта эти этого этой тот та те то того той бы был была было были быть будет есть нет ни только уже ещё еще тоже также очень мне меня
    тебе вам вас нам нас им их ему ей себя свой свои мой мои ваш ваши наш наши может можно можете все всё весь`,
  sk: `a i o u v vo z zo s so sa na do od po pre pri pred za k ku nad pod medzi bez že ktorý ktorá ktoré ktorí čo kto ako kedy kde prečo
    aký aká aké či ak keď aby ale alebo ani len aj tiež už ešte tak to ten tá tie toto tento táto tieto ja my vy on ona ono oni mi ma ti
    vás vám nás nám jeho jej ich svoj môj váš vaše vášho vašej náš je sú bol bola bolo boli byť bude budú som ste sme má majú môže môžete
    možno nie si potom viac`,
  sl: `in je v na se da za z s so od do iz o po pri ki kot kaj kdo kako kdaj kje zakaj kateri katera katero ali ampak če ne ni sem si smo ste
    bil bila bilo biti bo lahko jaz ti on ona mi vi oni svoj moj vaš naš ta to te tisti že še samo tudi pred med brez ker ko vse vsi`,
  sr: `и у на се је да за с са од до из о по као који која које што ко како када где зашто колико али или ако не није су сам смо сте био била
    било бити ће може можете ја ти он она оно ми ви они му јој им нас вас свој мој ваш наш овај ова ово тај та то већ још само такође пре
    после између без код при након сви све јер кад`,
  sv: `och i att är en ett den det de som till på av för med från om vid efter under över mellan utan mot hos inte bara också nu så då när
    ifall eftersom men eller jag du han hon vi man mig dig sig oss dem er ni min mitt mina din ditt dina sin sitt sina hans hennes deras vår
    vårt våra vad vem var varför hur vilken vilket vilka vilket har hade ha vara varit blir blev bli kan kunde ska skall skulle vill ville
    måste där här denna detta dessa några något någon alla allt mycket mer ut upp in ditt kunna`,
  th: `และ ใน ที่ ของ เป็น มี ไม่ ได้ จะ ให้ กับ จาก ว่า หรือ นี้ นั้น ก็ คือ ซึ่ง แต่ โดย เพื่อ อย่าง แล้ว ถ้า หาก เมื่อ อะไร ใคร ทำไม อย่างไร ยังไง
    ที่ไหน เมื่อไร เมื่อไหร่ ไหน ฉัน ผม คุณ เขา เธอ เรา พวกเขา ต้อง ควร สามารถ อยู่ ไป มา ด้วย ถึง ตาม บน ใต้ ระหว่าง ก่อน หลัง ทุก บาง มาก เพราะ`,
  tr: `ve bir bu da de için ile çok ne o ben sen biz siz onlar ama fakat veya ya ki mi mı mu mü gibi kadar daha en değil var yok olan olarak
    olduğu olduğunu olur oldu olabilir ise nasıl neden niçin niye nerede nereye nereden hangi kim kime kimin kaç şu şey her hiç hep tüm bütün
    bazı sonra önce üzere göre karşı arasında içinde üzerinde bana sana ona bize size onu bunu şunu benim senin onun bizim sizin eğer ancak
    yalnızca sadece hem çünkü böyle şöyle diye`,
  uk: `і й та в у на не що як до з із зі за від по про для при без під над між через або чи якщо коли де хто кого чого чому навіщо який яка
    яке які якого якої яких це цей ця ці цього цієї той те ті того тієї він вона воно вони я ти ми ви його її їх їм йому їй мене мені тебе
    вас вам нас нам себе свій свої мій моя ваш ваші наш наші був була було були бути буде є немає ні лише тільки вже ще також теж дуже може
    можна можете всі все весь але так ж же би`,
  ur: `کے کی کا میں سے ہے ہیں کو اور یہ وہ پر نے بھی تھا تھی تھے ہو ہوتا ہوتی ہوتے کہ جو کیا کیوں کیسے کب کہاں کون کس ایک اس ان آپ ہم تم مجھے
    میرا اپنے اپنی لیے ساتھ بعد پہلے بغیر نہیں اگر تو جب تک گیا کر کرنا کرنے کریں سکتے سکتا دیا`,
  vi: `và của là có các những một cho trong với không được này đó khi từ đến để như về bạn tôi chúng họ anh chị nó ta ai gì nào đâu sao
    thế bao nhiêu tại vì nếu thì mà nhưng hoặc hay cũng đã đang sẽ phải cần nên rất hơn chỉ theo trên dưới giữa trước sau bằng vào ra lên
    lại mỗi mọi tất cả bởi làm`,
} as const

export type WordedLanguage = keyof typeof FUNCTION_WORDS
