throw new Error('Something went wrong installing the engine')
