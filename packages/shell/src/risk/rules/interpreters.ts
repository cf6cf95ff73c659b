import ROWS from './interpreters.json' with { type: 'json' };

export interface Interpreter {
  readonly verb: string;
  /** Options whose word is the code. */
  readonly code: string;
  /** Other options that take the next word. */
  readonly valued?: string;
  /** Options after which nothing is code: they name a module or a mode, or only ask. */
  readonly ends?: string;
  /** Subcommands that take code. */
  readonly evaluates?: string;
  /** True for one that takes `-m module` and finds the programs of its packages by it. */
  readonly modules?: true;
  /** True for one in which backquotes run a command. */
  readonly backquotes?: true;
  /** True for a shell: its code is commands. */
  readonly isShell?: true;
}

export const INTERPRETERS = ROWS as readonly Interpreter[];

/** Calls in a text that an interpreter is given that are dangerous wherever they stand. No one reads the rest of it. */
export interface CodeRule {
  readonly pattern: RegExp;
  readonly reason: string;
  /** True if this is meant only where backquotes run a command: in Perl, Ruby, PHP and Julia. */
  readonly backquotes?: true;
}

export const HARMFUL_CODE: readonly CodeRule[] = [
  {
    pattern:
      /\b(?:rmtree|rmdir|removedirs|unlink|FileUtils|Remove-Item|removeFile|removeDirectory\w*|(?:rm|rmdir|unlink|remove|truncate)Sync|delete[-_]file)\b|\brm!?\s*\(|\b(?:os|io|fs|File|Dir|Deno)\s*\??\.\s*(?:rm|remove|delete|truncate)\b|\bimport\b[^\n;]{0,200}\bremove\b/,
    reason: 'runs code that removes files',
  },
  {
    pattern:
      /\b(?:system|subprocess|child_process|popen\w*|spawn\w*|execSync|execFile\w*|(?:shell_|pcntl_)exec|passthru|proc_open|fork|qx|run-program|pty)\b|(?<!\.)\bexec[lv]?p?e?\b|\b(?:os|Kernel|Process)\s*\.\s*exec|\bos:cmd\b|%x\W|do shell script|\bopen\b[^\n;]{0,200}\|/i,
    reason: 'runs code that starts another program',
  },
  { pattern: /`/, reason: 'runs code that starts another program', backquotes: true },
  { pattern: /\bkill(?:pg)?\b/, reason: 'runs code that ends processes' },
  {
    pattern:
      /\b(?:eval|execfile|getattr|globals|vars|locals|builtins|constructor|Function|Reflect|runpy|ctypes|pickle|marshal|mainModule|getBuiltinModule|binding|dlopen|runIn\w*Context)\b|\b__(?!(?:name|version|file|doc|main)__)\w+__|(?<!\.)\bcompile\s*\(|\(\?\??\{/,
    reason: 'runs code that makes more code',
  },
  { pattern: /\w["']\s*(?:\+|\.\.?)\s*["']\w/, reason: 'runs code that puts names together' },
];
