// The SDK checks messages with zod, which compiles a function for each kind of object at its first use. That takes longer
// than all checks of most connections, so it is switched off. This module must be imported before the SDK, which makes its
// schemas when it is loaded. All copies of zod share this object; zod's own `config` would bundle all of zod.
const shared = globalThis as { __zod_globalConfig?: object };
shared.__zod_globalConfig = { ...shared.__zod_globalConfig, jitless: true };

export {};
