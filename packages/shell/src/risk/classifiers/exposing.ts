import type { Call, Context } from '../context.ts';
import { type BashCommand, bareText, firstWord } from '../syntax/fields.ts';
import { argumentsOf } from '../tables.ts';

/** Options of `ps` that take the next word. `-o` also at the end of a cluster, as in `-eo pid,args`. */
const PS_VALUED =
  /^(-[A-Za-z]*[oOCuUpgGstqk]|[A-Za-z]*[oOkptUq]|--(format|p?pid|quick-pid|[uU]ser|[gG]roup|sort|tty|sid|cols|columns|width|lines|rows))$/;

/** Judges `ps`, which shows the environments of all processes, and the secrets in them, with an `e` that has no dash. */
export function classifyPs({ args }: Call, context: Context): void {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (/^[A-Za-z]*e[A-Za-z]*$/.test(arg) || /^-[A-Za-z]*E|environ/.test(arg) || /environ/.test(args[i + 1] ?? '')) {
      context.report('dangerous', 'shows the environments of other processes');
    }
    if (PS_VALUED.test(arg)) i++;
  }
}

/** Programs that send what they are fed to another machine. */
const SENDS = /^(nc|ncat|netcat|socat|telnet|curl|wget|http|https|xh|ssh|openssl|mail|sendmail|aws|gsutil|rclone)$/;
const TELLS_ENVIRONMENT = /^(env|printenv|set|export|declare|typeset)$/;

/** Reports whether the commands of a pipeline hand the variables of the environment to a program that sends them. */
export function sendsEnvironment(commands: readonly BashCommand[]): boolean {
  const told = commands.findIndex(tellsEnvironment);
  return told !== -1 && commands.slice(told + 1).some((command) => SENDS.test(firstWord(command)));
}

/** Reports whether a command prints variables: `env`, `printenv X`, `set`, `export -p`. */
export function tellsEnvironment(command: BashCommand): boolean {
  const name = firstWord(command);
  if (command.kind !== 'simple' || !TELLS_ENVIRONMENT.test(name)) return false;
  const others = command.words.slice(1).map(bareText);
  if (name === 'set') return others.length === 0;
  return name === 'printenv' || others.every((word) => word?.startsWith('-') && (name === 'env' || /p|x/.test(word)));
}

/** Judges `openssl s_client`, which sends what it is fed. Without that it tells of a certificate. */
export function classifyOpenssl({ args, fed, input }: Call, context: Context): void {
  if (args[0] !== 's_client' || !fed || /^(Q|QUIT)?\s*$/.test(input ?? '?')) return;
  context.report('dangerous', 'opens a connection that carries anything');
}

const DELETES = /^(-\w*X ?|--request=)?DELETE$/i;
const LOCAL = /^(https?:\/\/)?(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1\])?:?\d*(\/|$)/;
const LOOKS_LIKE_HOST = /:\/\/|^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)|[\ue100\ue101]/;
const ROUTES = /^(-\w*[xK]|--(proxy|preproxy|resolve|connect-to|config|socks\w*))/;

/** Judges clients of HTTP that are asked to delete: on this machine it is a server under test. */
export function classifyHttp({ args }: Call, context: Context): void {
  if (!args.some((arg) => DELETES.test(arg))) return;
  const others = args.filter((arg) => !LOCAL.test(arg));
  const isLocal = others.length < args.length && !others.some((arg) => LOOKS_LIKE_HOST.test(arg) || ROUTES.test(arg));
  if (!isLocal) context.report('dangerous', 'removes something on a server');
}

/** Programs that search everything below a directory. `grep` does so only if it is told to. */
const SEARCHES = /^(rg|ag|ack|ugrep|rgrep)$/;
const SEARCHES_HIDDEN = /^(ack|ugrep|rgrep)$/;
const GREPS = /^([efz]?grep|diff)$/;

/** How far a search goes: not below directories, below them but for hidden files, or everywhere below them. */
export type Reach = 'files' | 'visible' | 'all';

/** Returns how far a call searches, as its options tell. */
export function reachOf(call: Call): Reach {
  const { name, args } = call;
  if (GREPS.test(name)) {
    const given = argumentsOf(call);
    const options = ['-r', '-R', '--recursive', '--dereference-recursive'];
    return options.some((option) => given.has(option)) || args.some((arg) => /recurse$/.test(arg)) ? 'all' : 'files';
  }
  if (name === 'git') return args.includes('--no-index') ? 'all' : 'files';
  if (!SEARCHES.test(name)) return 'files';
  return SEARCHES_HIDDEN.test(name) || showsHidden(call) ? 'all' : 'visible';
}

/** Reports whether a search finds hidden files: `rg` does with `-uu` or `--hidden`, and `ag` with `-u` too. */
function showsHidden({ name, args }: Call): boolean {
  if (args.some((arg) => arg === '--hidden' || /^-\w*\.$/.test(arg))) return true;
  const clusters = args.map((arg) => (arg === '--unrestricted' ? '-u' : arg)).filter((arg) => /^-\w*u/.test(arg));
  return clusters.join('').split('u').length > (name === 'ag' ? 1 : 2);
}
