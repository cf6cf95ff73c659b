/** Calls in a text that an interpreter is given that are dangerous wherever they stand; nobody reads the rest of it. */
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
