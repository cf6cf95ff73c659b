import type { Refusal } from '@jinn/team/people/asker';

export interface AccessOptions {
  readonly host: string;
  /** One that starts with a dot stands for all names below it. */
  readonly allowHost: readonly string[];
  /** As browsers send them. If there are none, a server for this machine allows the pages of this machine. */
  readonly allowOrigin: readonly string[];
}

export interface Access {
  /** Checks the Host and Origin headers: a web page must not reach a server on this machine by a name of its own. */
  judgeSource(headers: {
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
  }): Refusal | undefined;
}

export function createAccess({ host, allowHost, allowOrigin }: AccessOptions): Access {
  const isLocal = isLoopback(host);
  const isAllowed = (name: string) =>
    allowHost.some((allowed) => name === allowed || (allowed.startsWith('.') && name.endsWith(allowed)));
  const isKnownHost = (name: string) => name === host.toLowerCase() || isAllowed(name) || (isLocal && isLoopback(name));
  const isKnownOrigin = (origin: string) =>
    allowOrigin.length > 0 ? allowOrigin.includes(origin) : isLocal && isLoopback(hostOf(origin) ?? '');
  return {
    judgeSource: (headers) => {
      const name = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(:\d+)?$/i.exec(headers.host ?? '')?.[1]?.toLowerCase();
      if (name === undefined || !isKnownHost(name)) {
        const advice = name === undefined ? '' : `: to serve it, start jinn-mcp with --allow-host ${name}`;
        return { status: 403, message: `this Host is not served here${advice}` };
      }
      const { origin } = headers;
      if (origin === undefined || isKnownOrigin(origin)) return undefined;
      return { status: 403, message: 'pages of this Origin may not ask here' };
    },
  };
}

// Undefined if the text is not an origin exactly as browsers write it.
function hostOf(origin: string): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url?.origin === origin && /^https?:$/.test(url.protocol) ? url.hostname : undefined;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

export interface Address {
  readonly host: string;
  readonly port: number;
}

const DEFAULT: Address = { host: '127.0.0.1', port: 7337 };
export const DEFAULT_ADDRESS = `${DEFAULT.host}:${DEFAULT.port}`;

/** Parses HOST:PORT, HOST or PORT. The missing part gets its default. Returns undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  const match =
    /^(?:(?<host>\[[0-9a-f:.]+\]|[\w.-]+):(?<port>\d{1,5})|:?(?<only>\d{1,5})|(?<name>\[[0-9a-f:.]+\]|[\w.-]+))$/i.exec(
      text,
    );
  const { host, port, only, name } = match?.groups ?? {};
  const number = Number(port ?? only ?? DEFAULT.port);
  // By itself, a word that starts with a digit is a mistyped port rather than a name.
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
