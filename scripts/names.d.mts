/** The name of each package, by its folder. */
export const NAMES: Readonly<Record<string, string>>;
