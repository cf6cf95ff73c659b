import { config } from 'zod/v4/core';

// The SDK checks messages with zod, which compiles a function for each kind of object when it comes first: that takes
// longer than all checks of most connections. Must be imported before the SDK, which makes its schemas when it is loaded.
config({ jitless: true });
