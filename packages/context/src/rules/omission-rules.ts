import { parseRules, RuleList } from '@jinn/workspace/walk';
import { type ContextList, type ContextRule, LAYERS, type RuleSource } from './context-rules.ts';

/** SVG files up to this size are taken in. */
export const MOST_SVG_BYTES = 10 * 1024;

/** Text files that are left out unless somebody asks for them, since they say next to nothing to a reader. */
const LINES = [
  '*.svg', // It comes first, since *.min.svg wins over it.
  ...'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock Cargo.lock poetry.lock'.split(
    ' ',
  ),
  ...'Pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml composer.lock Gemfile.lock go.sum go.work.sum'.split(' '),
  ...'conan.lock Manifest.toml JuliaManifest.toml flake.lock mix.lock rebar.lock pubspec.lock packages.lock.json paket.lock Podfile.lock Package.resolved'.split(
    ' ',
  ),
  ...'Cartfile.resolved gradle.lockfile buf.lock MODULE.bazel.lock stack.yaml.lock cabal.project.freeze'.split(' '),
  ...'*.min.js *.min.mjs *.min.cjs *.min.css *.min.html *.min.json *.min.svg'.split(' '),
  ...'*.js.map *.mjs.map *.cjs.map *.jsx.map *.ts.map *.mts.map *.cts.map *.tsx.map *.css.map'.split(' '),
  ...'*.pb.go *_pb2.py *_pb2.pyi *_pb2_grpc.py *.pb.cc *.pb.h *_pb.js *_pb.d.ts *.pb.dart'.split(' '),
  ...'*.g.dart *.freezed.dart *.g.cs *.designer.cs *.Designer.cs zz_generated.*'.split(' '),
  ...'*.generated.ts *.generated.tsx *.generated.js *.generated.go *.generated.cs *.generated.py'.split(' '),
  ...'__generated__/ bower_components/ Pods/ Carthage/'.split(' '),
];

/**
 * Files that programs put into a directory `vendor`. Without one of these, its content may be the project's own code.
 */
const VENDOR_MARKS = ['modules.txt', 'autoload.php', 'bundle', 'cache'];

/** Returns the rule for a directory of vendored code, as its name and content say; else undefined. */
export function vendorRule(path: string, names: { has(name: string): boolean }): ContextRule | undefined {
  const isVendor = path === 'vendor' || path.endsWith('/vendor');
  if (!isVendor || !VENDOR_MARKS.some((name) => names.has(name))) return undefined;
  return toBuiltIn('vendor/', 0);
}

/** Makes the rules for text that is left out: lock files, and minified, generated and vendored files. */
export function omissionRules(): readonly ContextRule[] {
  return LINES.map((text, i) => toBuiltIn(text, i + 1));
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
    layer: LAYERS.omissions,
    order: line,
  };
}

const ATTRIBUTE = /^(?<sign>[-!]?)linguist-(?:generated|vendored)(?:=(?<value>\S+))?$/;

/**
 * Returns the rules of a `.gitattributes` file: files that it calls generated or vendored are left out, and files that
 * it calls otherwise are taken in. `base` leads to the directory of the file. Macros and quoted patterns are skipped.
 */
export function attributeRules(content: Uint8Array, file: string, base: readonly string[]): ContextList {
  const lines = Buffer.from(content).toString('latin1').split('\n');
  const found: { pattern: string; excludes: boolean; line: number }[] = [];
  for (const [i, text] of lines.entries()) {
    const [pattern = '', ...attributes] = text.trim().split(/[ \t]+/);
    if (pattern === '' || /^[#"[!]/.test(pattern)) continue;
    for (const attribute of attributes) {
      const groups = ATTRIBUTE.exec(attribute)?.groups;
      if (!groups) continue;
      const isOff = groups['sign'] !== '' || groups['value'] === 'false' || groups['value'] === '0';
      found.push({ pattern, excludes: !isOff, line: i + 1 });
    }
  }
  const source = { file, base, layer: LAYERS.omissions };
  return { ...source, list: new RuleList(found.flatMap((rule) => toRule(rule, source))) };
}

/**
 * Makes the rule of a line. Attributes hold for files alone: a pattern that names a directory says nothing about its
 * content.
 */
function toRule(
  { pattern, excludes, line }: { pattern: string; excludes: boolean; line: number },
  { file, base, layer }: RuleSource,
): ContextRule[] {
  const { rules: parsed } = parseRules(Buffer.from(pattern, 'latin1'), file, 'includes');
  const toText = (bytes: string) => Buffer.from(bytes, 'latin1').toString();
  return parsed
    .filter(({ directoriesOnly }) => !directoriesOnly)
    .map((rule) => ({
      ...rule,
      text: toText(rule.text),
      pattern: toText(rule.pattern),
      excludes,
      line,
      layer,
      // Attributes win over the built-in rules, and those of a deeper directory over those above.
      order: (base.length + 1) * 2 ** 20 + line,
    }));
}
