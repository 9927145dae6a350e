/** The vocabulary of generated vaults: words, folders, tags and sentences. */

const list = (text) => text.trim().split(/\s+/)

export const nouns = list(`
  anchor archive argument atlas balance barrel basket beacon bell border bottle branch bread bridge broth budget
  cabin calendar candle canvas capital carbon cargo cellar chapter charcoal circuit clause clay clock cloud
  coast colony column compass concept contract copper corner cotton council courier craft current curve dairy
  debate decade delta desert design device diagram dialect diary district draft drought dune echo economy edge
  editor emblem engine enzyme error essay estate ethics evidence exchange exhibit fabric factor falcon family
  farm ferry festival fever field filter flame flint flour forest forge formula fossil fountain frame friction
  frontier fungus furnace gallery garden gate genome ghost glacier glass grain grammar granite graph gravity
  grove guild habit hammer harbor harvest hedge herb heritage hinge history honey horizon hypothesis idiom index
  ink insect instinct island ivory jacket journal journey jury kernel kettle kiln kitchen ladder lagoon lantern
  lattice law ledger lemon lens letter library light linen liquid logic loom lumber machine magnet mandate mango
  manuscript map marble margin market marsh mask meadow memory merchant metal meteor method mill mineral mirror
  model monsoon moss motive mountain mural museum myth narrative needle negotiation network neuron nomad
  notebook novel nutrient oak oath oats object ocean orbit orchard organ oven oxygen paint palace panel paper
  parade parish particle pasture patent pattern peat pebble pension pepper piano pigment pilot pioneer pipeline
  planet plateau poem policy pollen port portrait pottery prairie prism probe process profile promise proof
  protein proverb pulley puzzle quarry quilt quota radio railway rain rampart recipe reef refuge region relic
  remedy reservoir resin rhythm ridge ritual river rope routine rubber ruin saddle sail salt sample sand
  satellite scaffold scale scene school scroll sculpture season seed sensor shadow shelter shore shrine signal
  silk silver sketch slope soil song spice spiral spring statue steam steel stitch stone storm story strategy
  stream street structure sugar summit survey swamp symbol syntax table tariff tavern temple tenant terrace
  theory thread threshold tide timber tower trade tradition trail treaty tribe tunnel turbine valley vapor vault
  vector vessel village vineyard vision voyage wage wagon wall water weather weaver wheat wheel willow wind
  window winter wire witness wool workshop yarn yeast zone
`)

export const adjectives = list(`
  abstract ancient annual arid bitter bold brief bright brittle broad calm careful central civic clear coarse
  coastal cold common complex curious daily deep delicate dense distant double dry early eastern elastic empty
  faint familiar fertile fine firm fixed flat formal fragile frozen gentle global golden gradual green hidden
  hollow honest human humid idle inner joint keen late lean level linear liquid little lively local long loose
  loud low lunar main manual mature mild minor mixed mobile modern modest moral narrow native neutral northern
  novel odd open outer partial patient plain polar polite precise private proper public pure quiet rapid rare
  raw recent remote rich rigid rough round royal rural sacred scarce secret severe shallow sharp short silent
  simple slow small smooth social soft solar solid sound southern sparse spare stable steady steep stiff strange
  strict subtle sudden tall tender thick thin tidal tiny total tropical urban useful vague vast verbal vivid
  warm weak western whole wide wild wooden yearly young
`)

export const verbs = list(`
  absorbs alters anchors balances borrows bounds carries causes changes clarifies combines compares connects
  contains corrects covers crosses defines delays depends describes divides drives echoes enables explains
  exposes extends favors filters follows forms frames governs guides hides holds implies improves informs joins
  keeps leads limits links marks measures mirrors moves needs orders outlines precedes predicts protects
  questions raises reaches reduces reflects refines relates replaces resembles resists reveals rewards shapes
  shifts shows signals slows solves sorts spreads starts supports surrounds sustains tests traces transforms
  uses varies weakens widens
`)

export const places = list(`
  Alder Ashford Barrow Birch Brighton Carden Cedar Corvin Dalton Delft Elmira Fenwick Galway Granada Halden
  Harlow Ilmen Jarrow Kestrel Lisbon Lorne Malmo Marlow Norwich Oakley Orkney Padua Porto Quill Ravenna Rostock
  Salem Selby Tarn Tilbury Ulster Verona Wexford Yarrow Zeeland
`)

export const areas = [
  'Projects',
  'People',
  'Reading',
  'Journal',
  'Research',
  'Work',
  'Places',
  'Recipes',
  'Courses',
  'Ideas box',
  'Zettel',
  'Archive',
]

export const tagPaths = areas.flatMap((area) => {
  const base = area.toLowerCase().replaceAll(' ', '-')
  return [base, `${base}/active`, `${base}/draft`, `${base}/done`, `${base}/review/weekly`, `${base}/review/yearly`]
})

export const sentences = {
  plain: [
    'the {adjective} {noun} {verb} the {noun} more than the {noun} ever did.',
    'in {place}, a {adjective} {noun} usually {verb} what the {noun} leaves out.',
    'every {noun} {verb} some {adjective} {noun}, and that is the point.',
    'it took a {adjective} winter before the {noun} at {place} became a {noun}.',
    'one could say that the {noun} {verb} the {noun}, but the {adjective} evidence is thin.',
    'the {noun} costs about $12 there, and a {adjective} {noun} about $15.',
    'a {noun} without a {noun} rarely {verb} anything {adjective}.',
    'what the {noun} {verb} is *{adjective}*, not **{adjective}**, and never `{noun}_{noun}`.',
    'no one in {place} asked whether the {adjective} {noun} {verb} the {noun}.',
    'my first guess was that the {noun} {verb} a {noun}; later it looked {adjective}.',
  ],
  linking: [
    'see {link} for the {adjective} side of the {noun}.',
    'this {verb} what {link} says about the {noun}.',
    'as in {link}, the {adjective} {noun} {verb} the {noun}.',
    'compare {link}, where the {noun} is {adjective}.',
    'the {noun} {verb} ({link}) a {adjective} {noun} in {place}.',
    'an older {noun} is described in {link}.',
    'the {noun} comes from {link}; the {noun} does not.',
    'together with {link} it {verb} the {adjective} {noun}.',
  ],
}
