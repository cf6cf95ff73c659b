import type { Refusal } from '@jinn/team/people/refusal';
import { isLoopback } from './http-address.ts';

export interface AccessOptions {
  readonly host: string;
  /** One that starts with a dot stands for all names below it. */
  readonly allowHost: readonly string[];
  /** The allowed origins, as browsers send them. If there are none and the server is for this machine alone, those of this machine. */
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
