import { parseRules, RuleList } from '@jinn/workspace/walk';
import { type ContextList, type ContextRule, LAYERS, latin1ToText, type RuleSource } from './context-rules.ts';

/** The rules that apply unless a later one says otherwise. No rule takes in secrets. */
const NAMES = [
  '.* .contextfiles node_modules/ __pycache__/ *.pyc *.pyo venv/ env/ .venv/ .env/ *.egg-info/',
  'build/ dist/ target/ out/ bin/ obj/ output/ logs/ *.log log.* *.bak *.tmp *.temp *.swp *~',
  '*.gz *.zip *.tar *.bz2 *.xz *.7z *.rar *.zipx Thumbs.db LICENSE',
].flatMap(words);

/** A file that git tracks has such a name by accident. */
const BEATEN = new Set(
  words('venv/ env/ *.egg-info/ build/ dist/ target/ out/ bin/ obj/ output/ logs/ *.log log.* *.bak *.tmp *.temp'),
);

/** Files up to this size are taken in although they are SVG. */
export const MOST_SVG_BYTES = 10 * 1024;

/** Text files that are omitted unless the user asks for them, because they say next to nothing to a reader. */
const OMITTED = [
  '*.svg', // It comes first, since *.min.svg wins over it.
  'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock Cargo.lock poetry.lock',
  'Pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml composer.lock Gemfile.lock go.sum go.work.sum',
  'conan.lock Manifest.toml JuliaManifest.toml flake.lock mix.lock rebar.lock pubspec.lock packages.lock.json',
  'paket.lock Podfile.lock Package.resolved',
  'Cartfile.resolved gradle.lockfile buf.lock MODULE.bazel.lock stack.yaml.lock cabal.project.freeze',
  '*.min.js *.min.mjs *.min.cjs *.min.css *.min.html *.min.json *.min.svg',
  '*.js.map *.mjs.map *.cjs.map *.jsx.map *.ts.map *.mts.map *.cts.map *.tsx.map *.css.map',
  '*.pb.go *_pb2.py *_pb2.pyi *_pb2_grpc.py *.pb.cc *.pb.h *_pb.js *_pb.d.ts *.pb.dart',
  '*.g.dart *.freezed.dart *.g.cs *.designer.cs *.Designer.cs zz_generated.*',
  '*.generated.ts *.generated.tsx *.generated.js *.generated.go *.generated.cs *.generated.py',
  '__generated__/ bower_components/ Pods/ Carthage/',
].flatMap(words);

/** Files that programs put into a directory `vendor`. Without one of these, its content may be the project's own code. */
const VENDOR_MARKS = ['modules.txt', 'autoload.php', 'bundle', 'cache'];

/** Reports whether a file that git tracks is taken in although this built-in rule matches it or a directory above it. */
export function isBeatenByTracking({ text }: Pick<ContextRule, 'text'>): boolean {
  return BEATEN.has(text.slice(1));
}

/** Makes the built-in rules, as `parseContextRules` would parse them. Its checks would take most of the time before the walk. */
export function defaultRules(): readonly ContextRule[] {
  return NAMES.map((pattern, i) => toBuiltIn(pattern, i + 1));
}

/** Makes the rules for text that is omitted: lock files, and minified, generated and vendored files. */
export function omissionRules(): readonly ContextRule[] {
  return OMITTED.map((pattern, i) => toBuiltIn(pattern, i + 1));
}

/** Returns the rule for a directory of vendored code, by its name and content, or undefined for any other directory. */
export function vendorRule(path: string, names: { has(name: string): boolean }): ContextRule | undefined {
  const isVendor = path === 'vendor' || path.endsWith('/vendor');
  return isVendor && VENDOR_MARKS.some((name) => names.has(name)) ? toBuiltIn('vendor/', 0) : undefined;
}

function words(text: string): string[] {
  return text.split(' ');
}

function toBuiltIn(text: string, line: number): ContextRule {
  const directoriesOnly = text.endsWith('/');
  return {
    text: `!${text}`,
    pattern: text.slice(0, directoriesOnly ? -1 : undefined),
    excludes: true,
    directoriesOnly,
    anchored: false,
    file: 'built-in rules',
    line,
    layer: LAYERS.builtIn,
    order: line,
  };
}

const ATTRIBUTE = /^(?<sign>[-!]?)linguist-(?:generated|vendored)(?:=(?<value>\S+))?$/;

/** Returns the rules of a `.gitattributes` file in the directory `base` on generated and vendored files, without macros. */
export function attributeRules(content: Uint8Array, file: string, base: readonly string[]): ContextList {
  const source = { file, base, layer: LAYERS.builtIn };
  const lines = Buffer.from(content).toString('latin1').split('\n');
  const rules = lines.flatMap((text, i) => {
    const [pattern = '', ...attributes] = text.trim().split(/[ \t]+/);
    if (pattern === '' || /^[#"[!]/.test(pattern)) return [];
    return attributes.flatMap((attribute) => {
      const groups = ATTRIBUTE.exec(attribute)?.groups;
      if (!groups) return [];
      const isOff = groups['sign'] !== '' || groups['value'] === 'false' || groups['value'] === '0';
      return toRules(pattern, { excludes: !isOff, line: i + 1 }, source);
    });
  });
  return { ...source, list: new RuleList(rules) };
}

/** Attributes apply to files only: a pattern that names a directory says nothing about its content. */
function toRules(
  pattern: string,
  { excludes, line }: { readonly excludes: boolean; readonly line: number },
  { file, base, layer }: RuleSource,
): ContextRule[] {
  const { rules } = parseRules(Buffer.from(pattern, 'latin1'), file, 'includes');
  return rules
    .filter(({ directoriesOnly }) => !directoriesOnly)
    .map((rule) => ({
      ...rule,
      text: latin1ToText(rule.text),
      pattern: latin1ToText(rule.pattern),
      excludes,
      line,
      layer,
      // Attributes win over the built-in rules, and those of a deeper directory over those above.
      order: (base.length + 1) * 2 ** 20 + line,
    }));
}
