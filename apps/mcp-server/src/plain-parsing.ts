// The SDK checks messages with zod, which compiles code at first use. That is slower here, so it is off. Import this before the SDK.
const shared = globalThis as { __zod_globalConfig?: object };
shared.__zod_globalConfig = { ...shared.__zod_globalConfig, jitless: true };

export {};
