// The SDK checks messages with zod, which compiles a function for each kind of object when it comes first: that takes
// longer than all checks of most connections. Must be imported before the SDK, which makes its schemas when it is loaded.
// All copies of zod share this object; its own `config` would draw the whole of zod into the bundle, in a second file.
const shared = globalThis as { __zod_globalConfig?: object };
shared.__zod_globalConfig = { ...shared.__zod_globalConfig, jitless: true };

export {};
