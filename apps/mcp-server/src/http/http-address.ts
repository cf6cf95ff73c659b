const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

export interface Address {
  readonly host: string;
  readonly port: number;
}

const DEFAULT: Address = { host: '127.0.0.1', port: 7337 };
export const DEFAULT_ADDRESS = `${DEFAULT.host}:${DEFAULT.port}`;

/** Parses HOST:PORT, HOST or PORT; the missing part gets its default. Returns undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  const match =
    /^(?:(?<host>\[[0-9a-f:.]+\]|[\w.-]+):(?<port>\d{1,5})|:?(?<only>\d{1,5})|(?<name>\[[0-9a-f:.]+\]|[\w.-]+))$/i.exec(
      text,
    );
  const { host, port, only, name } = match?.groups ?? {};
  const number = Number(port ?? only ?? DEFAULT.port);
  // By itself, a word that begins with a digit is a mistyped port rather than a name.
  if (/^\d[\w-]*$/.test(name ?? '')) return undefined;
  return match && number <= 65_535 ? { host: host ?? name ?? DEFAULT.host, port: number } : undefined;
}

/** Reports whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Reports whether the host stands for all addresses of the machine, so that no client asks for it by that name. */
export function isEverywhere(host: string): boolean {
  return /^(0\.0\.0\.0|\[::\])$/.test(host);
}
