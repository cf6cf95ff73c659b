import { parseStrictJson } from '@jinn/core/text';
import * as z from 'zod/mini';
import { findScope, type PersonScope, TOOL_SCOPES } from './asker.ts';

const scope = z.pipe(
  z.string().check(z.refine((name) => findScope(name) !== undefined, 'there is no such scope')),
  z.transform((name: string) => findScope(name) as PersonScope),
);
const scopes = z.array(scope).check(z.minLength(1));
const count = z.int().check(z.positive());
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** Reports whether no one else can read or change what a connection carries, such as keys and names. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

const secureUrl = z.url().check(z.refine((text) => isSecure(new URL(text)), 'it must be an https: URL'));
/** A header that a client always sends says nothing of who it is. */
const header = z.string().check(
  z.regex(/^[\w-]+$/),
  z.refine((name) => !/^(host|origin|authorization|cookie)$/i.test(name), 'not this header'),
);

const personLimits = {
  calls_per_minute: z.optional(count),
  output_mb_per_minute: z.optional(count),
  commands: z.optional(count),
  jobs: z.optional(count),
  sessions: z.optional(count),
};

/** By claims and their values: what the user has whose token has one of them. */
const claims = z.record(
  z.string(),
  z.record(
    z.string(),
    z.strictObject({ scopes: z._default(z.array(scope), []), limits: z.optional(z.strictObject(personLimits)) }),
  ),
);

const openid = z.strictObject({
  /** Who makes the tokens, exactly as it is written in them. */
  issuer: secureUrl,
  resource: secureUrl,
  /** For whom a token must be made. The resource if absent. */
  audience: z.optional(z.string().check(z.minLength(1))),
  claim: z._default(z.string().check(z.minLength(1)), 'sub'),
  /** What a client is told to ask for first. */
  scopes: z._default(scopes, [...TOOL_SCOPES]),
  claims: z.optional(claims),
});

/** A signed statement of the proxy, or of the provider after it, of who someone is. */
const assertion = z.strictObject({
  issuer: secureUrl,
  audience: z.string().check(z.minLength(1)),
  keys: z.optional(secureUrl),
  claim: z._default(z.string().check(z.minLength(1)), 'sub'),
  claims: z.optional(claims),
});

const proxy = z
  .strictObject({
    addresses: z.array(z.string()).check(z.minLength(1)),
    /** The header that has the name of the user. Without it, the proxy says only where someone asks from. */
    header: z.optional(header),
    /** What the header holds, if it is a JWT and not the name itself. */
    assertion: z.optional(assertion),
    /** The header that has the scopes. Each person has `scopes` if there is none. */
    scopes_header: z.optional(header),
    scopes: z._default(z.array(scope), [...TOOL_SCOPES]),
  })
  .check(
    z.refine((given) => given.header !== undefined || !(given.assertion || given.scopes_header), 'it needs a header'),
    z.refine((given) => !(given.assertion && given.scopes_header), 'the scopes_header is not signed'),
  );

const limits = z.strictObject({
  ...personLimits,
  memory_mb: z.optional(count),
  cpus: z.optional(z.number().check(z.positive())),
  processes: z.optional(count),
});

/** True if data for the database stays on this machine, is checked by TLS, or may be read by others by the operator's word. */
function isKept(text: string): boolean {
  const { hostname, searchParams } = new URL(text);
  const host = decodeURIComponent(searchParams.getAll('host').at(-1) ?? hostname);
  if (host.startsWith('/') || LOOPBACK.test(host)) return true;
  return ['verify-full', 'disable'].includes(searchParams.getAll('sslmode').at(-1) ?? '');
}

const database = z.strictObject({
  url: z.string().check(
    z.refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), 'it must be a postgres: URL'),
    z.refine(
      (text) => !URL.canParse(text) || isKept(text),
      'beyond this machine it must say sslmode=verify-full, or sslmode=disable where nobody else can read or answer',
    ),
  ),
  workspace: z.string().check(z.regex(/^[\w.-]{1,64}$/)),
  audit: z._default(z.boolean(), false),
  /** How long events of the audit log are kept. For ever if absent. */
  audit_days: z.optional(count),
});

const settings = z.strictObject({
  openid: z.optional(openid),
  proxy: z.optional(proxy),
  limits: z.optional(limits),
  database: z.optional(database),
  /** A command that fills the new workspace of a user, if `--root` has `{person}`. */
  create_workspace: z.optional(z.array(z.string()).check(z.minLength(1))),
});

export type TeamSettings = z.infer<typeof settings>;
export type OpenidSettings = z.infer<typeof openid>;
export type ProxySettings = z.infer<typeof proxy>;
export type LimitSettings = z.infer<typeof limits>;
export type ClaimSettings = z.infer<typeof claims>;

/** Reads the settings of a team. Throws an Error that names each fault. */
export function parseTeamSettings(text: string): TeamSettings {
  const { success, data, error } = settings.safeParse(parseStrictJson(text));
  if (success) return data;
  throw new Error(error.issues.map(describe).join('; '));
}

function describe(issue: z.core.$ZodIssue): string {
  const what = issue.code === 'unrecognized_keys' ? `there is no ${issue.keys.join(', ')}` : issue.message;
  return `${issue.path.join('.') || 'the file'}: ${what}`;
}
