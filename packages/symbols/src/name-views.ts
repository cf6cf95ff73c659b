import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { createOutlines, type Identifier, type Outline, type TreeStep } from '@jinn/syntax';
import type { FileUses } from './find-uses.ts';
import { areRelated } from './languages.ts';
import { type Imported, ModuleFiles } from './module-files.ts';
import { type ModuleSystem, moduleSystemOf, type NameRole, roleOf } from './name-role.ts';
import { readContent, type Source } from './read-source.ts';
import { directoryScope } from './scope.ts';
import { createSourceIndex } from './source-index.ts';
import { unlessRefused } from './unless-refused.ts';

/** A file with the identifiers of a name, and what is declared in it. */
export interface UsedFile extends FileUses {
  readonly outline: Outline;
}

/** What an import or a qualifier stands for, as far as a renamed symbol is concerned. */
export type Meant = 'symbol' | 'other' | 'unknown';

const STAR = {
  script: /\bexport\s*\*\s*from\s*(['"])([^'"\n]*)\1/g,
  python: /^[ \t]*from[ \t]+()([.\w]+)[ \t]+import[ \t]*\(?[ \t]*\*/gm,
} as const;
const FROM = /\bfrom\s*(['"])([^'"]*)\1/;
const LOADED = /=\s*(?:await\s+)?(?:require|import)\s*\(\s*(['"])([^'"]*)\1\s*\)\s*(?:as\b[\s\S]*)?$/;
const IMPORTING = /^(?:future_)?import_(?:from_)?statement$/;
const EXPORTING = 'export_statement';
/** Makes a file a module: without any of these, its names are those of all scripts of a page. */
const MODULE = /^[ \t]*(?:import|export)\b|\brequire\s*\(|\bmodule\.exports\b|^[ \t]*exports\./m;
const MODULE_FILE = /\.(?:[cm][jt]s|vue|svelte)$/;
/** Objects of the language, which no import is. */
const STANDARD: ReadonlySet<string> = new Set(
  (
    'JSON Math Object Array Promise Reflect Number String Symbol Date BigInt Buffer Intl Atomics console process ' +
    'document localStorage sessionStorage navigator performance crypto'
  ).split(' '),
);

interface Star {
  readonly file: string;
  readonly imported: Imported;
}

/** Opens what tells which files see a symbol at the top of a file by its name, and through which imports. */
export async function openViews(ctx: ToolContext, source: Source, files: readonly UsedFile[]): Promise<NameViews> {
  const system = moduleSystemOf(source.outline.language);
  const { files: indexed } = await ctx.session.use(createSourceIndex).scan(ctx, directoryScope('.'));
  const related = indexed.filter(({ language }) => areRelated(language, source.outline.language));
  const modules = new ModuleFiles(
    ctx.workspace,
    related.map(({ path }) => path),
  );
  const stars: Star[] = [];
  for (const { path } of system ? related : []) {
    const content = await unlessRefused(() => readContent(ctx, `./${path}`));
    stars.push(...starsIn(path, content?.content.toString('latin1') ?? '', { system, modules }));
    await ctx.checkpoint();
  }
  return new NameViews({ ctx, source, system, modules, stars, files });
}

interface StarSearch {
  readonly system: ModuleSystem | undefined;
  readonly modules: ModuleFiles;
}

function starsIn(file: string, text: string, { system, modules }: StarSearch): Star[] {
  if (!system) return [];
  return [...text.matchAll(STAR[system])].map(([, , name = '']) => ({
    file,
    imported: system === 'script' ? modules.ofScript(file, name) : modules.ofPython(file, name),
  }));
}

interface Parts {
  readonly ctx: ToolContext;
  readonly source: Source;
  readonly system: ModuleSystem | undefined;
  readonly modules: ModuleFiles;
  readonly stars: readonly Star[];
  readonly files: readonly UsedFile[];
}

/** Which files of a workspace see a symbol by its name. */
export class NameViews {
  readonly system: ModuleSystem | undefined;
  /** True if the names of the declaring file are its own unless it exports them. */
  readonly isModule: boolean;
  /** True if other files may import the symbol by its name. */
  readonly isExported: boolean;
  readonly #parts: Parts;
  /** The files that the symbol can be imported from. */
  readonly #exporters: Set<string>;
  /** The files in which the name means the symbol. */
  readonly #seeing: Set<string>;

  constructor(parts: Parts) {
    const { source, system, files } = parts;
    this.#parts = parts;
    this.system = system;
    const text = source.content.toString('latin1');
    this.isModule = system === 'python' || MODULE_FILE.test(source.path) || MODULE.test(text);
    this.#exporters = new Set([source.path]);
    this.#seeing = new Set([source.path]);
    const own = files.find(({ path }) => path === source.path);
    this.isExported = system === 'python' || (system === 'script' && own?.ranges.some(isExport) === true);
    if (this.isExported) while (this.#grow());
  }

  /** True if the name means the symbol in a file, where nothing hides it. */
  sees({ path }: UsedFile): boolean {
    return this.#seeing.has(path);
  }

  /** True if a file other than the declaring one gives the name on to those that import it. */
  isReexporter({ path }: UsedFile): boolean {
    return this.#exporters.has(path);
  }

  /** True if a file takes all names of a file that the symbol is imported from. */
  get hasStars(): boolean {
    return this.#parts.stars.some(({ imported }) => this.#meantBy(imported) !== 'other');
  }

  /** What the name means that an import, or an export from another file, takes. */
  importedBy(file: UsedFile, identifier: Identifier): Meant {
    const imported = this.#importOf(file, identifier);
    return imported === undefined ? 'unknown' : this.#meantBy(imported);
  }

  /** What something is a member of that is named with a qualifier: of a module that exports the symbol, or of another. */
  async qualifiedBy(file: UsedFile, qualifier: string): Promise<Meant> {
    const head = qualifier.split('.')[0] as string;
    const { ctx } = this.#parts;
    const identifiers = await ctx.session.use(createOutlines).identifiers(file, head, { withAround: true });
    if ('reason' in identifiers) return 'unknown';
    const { language } = file.outline;
    const binders = identifiers.filter((one) => /^(?:binding|import|unclear)$/.test(roleOf(one, language)));
    if (binders.length === 0) return this.system === 'script' && STANDARD.has(qualifier) ? 'other' : 'unknown';
    const meant = binders.map((one) => this.#moduleMeant(file, one, qualifier));
    return meant.every((each) => each === meant[0]) ? (meant[0] as Meant) : 'unknown';
  }

  /** What the file declares that a name is taken out of: `const { name } = require('./file')`. Undefined if it is none. */
  takenFrom(file: UsedFile, { around = [] }: Identifier): Meant | undefined {
    const declarator = around.findLast(({ type }) => type === 'variable_declarator');
    const specifier = declarator && LOADED.exec(textOf(file, declarator))?.[2];
    return specifier === undefined ? undefined : this.#meantBy(this.#parts.modules.ofScript(file.path, specifier));
  }

  /** Adds what one more import brings in. Returns false if there is nothing more. */
  #grow(): boolean {
    const before = this.#exporters.size + this.#seeing.size;
    for (const { file, imported } of this.#parts.stars) if (this.#meantBy(imported) === 'symbol') this.#add(file);
    for (const file of this.#parts.files) for (const one of file.ranges) this.#follow(file, one);
    return this.#exporters.size + this.#seeing.size > before;
  }

  /** In Python, whatever a file imports can be imported from it. */
  #add(file: string): void {
    this.#exporters.add(file);
    if (this.system === 'python') this.#seeing.add(file);
  }

  #follow(file: UsedFile, identifier: Identifier): void {
    const role = roleOf(identifier, file.outline.language);
    if ((role !== 'import' && role !== 'export') || isAliased(file, identifier)) return;
    const isLocal = role === 'export' && !hasSource(file, identifier);
    if (isLocal ? !this.sees(file) : this.importedBy(file, identifier) !== 'symbol') return;
    if (role === 'import') this.#seeing.add(file.path);
    if (role === 'export' || this.system === 'python') this.#exporters.add(file.path);
  }

  #importOf(file: UsedFile, { around = [], start, end }: Identifier): Imported | undefined {
    const { modules } = this.#parts;
    const statement = around.findLast(({ type }) => IMPORTING.test(type) || type === EXPORTING);
    if (!statement) return undefined;
    if (this.system === 'script') {
      const specifier = FROM.exec(textOf(file, statement))?.[2];
      return specifier === undefined ? undefined : modules.ofScript(file.path, specifier);
    }
    const module = pythonSource(textOf(file, statement));
    if (module === undefined) return undefined;
    const name = file.content.toString('utf8', start, end);
    const inner = modules.ofPython(file.path, module.endsWith('.') ? module + name : `${module}.${name}`);
    // `from package import name` may be a module of the package.
    const own = modules.ofPython(file.path, module);
    return typeof inner === 'string' || this.#meantBy(own) === 'symbol' ? own : inner;
  }

  #meantBy(imported: Imported): Meant {
    if (typeof imported === 'string') return imported === 'foreign' ? 'other' : 'unknown';
    const isExporter = imported.map((file) => this.#exporters.has(file));
    if (isExporter.every(Boolean)) return 'symbol';
    return isExporter.some(Boolean) ? 'unknown' : 'other';
  }

  #moduleMeant(file: UsedFile, binder: Identifier, qualifier: string): Meant {
    const { modules } = this.#parts;
    const imported =
      this.system === 'python' ? this.#pythonModule(file, binder, qualifier) : this.#scriptModule(file, binder);
    if (imported === undefined) return 'unknown';
    const { specifier, isWhole } = imported;
    const found =
      this.system === 'python' ? modules.ofPython(file.path, specifier) : modules.ofScript(file.path, specifier);
    const meant = this.#meantBy(found);
    // What a file of the workspace exports may be anything.
    return isWhole || found === 'foreign' ? meant : 'unknown';
  }

  #scriptModule(file: UsedFile, { around = [] }: Identifier): BoundModule | undefined {
    const statement = around.findLast(({ type }) => IMPORTING.test(type));
    const declarator = around.at(-2)?.type === 'variable_declarator' ? around.at(-2) : undefined;
    const from = statement ? FROM.exec(textOf(file, statement)) : declarator && LOADED.exec(textOf(file, declarator));
    const specifier = from?.[2];
    if (specifier === undefined) return undefined;
    return { specifier, isWhole: !statement || around.at(-2)?.type === 'namespace_import' };
  }

  #pythonModule(file: UsedFile, { around = [] }: Identifier, qualifier: string): BoundModule | undefined {
    const at = around.findLastIndex(({ type }) => IMPORTING.test(type));
    const [statement, named] = around.slice(at);
    if (at < 0 || !statement || !named) return undefined;
    const from = pythonSource(textOf(file, statement));
    const [name = '', alias] = textOf(file, named).trim().replace(/\s+/g, ' ').split(' as ');
    if (qualifier !== (alias ?? name)) return undefined;
    if (from === undefined) return { specifier: name, isWhole: true };
    const specifier = from.endsWith('.') ? from + name : `${from}.${name}`;
    const isModule = typeof this.#parts.modules.ofPython(file.path, specifier) !== 'string';
    return isModule ? { specifier, isWhole: true } : { specifier: from, isWhole: false };
  }
}

interface BoundModule {
  readonly specifier: string;
  /** False if it is what a module exports, not the module itself. */
  readonly isWhole: boolean;
}

/** True if the name is declared in an export, or stands in a list of exports. */
function isExport(identifier: Identifier): boolean {
  const { around = [] } = identifier;
  const at = around.findLastIndex(({ type }) => type === EXPORTING);
  if (at < 0) return false;
  // The name of the exported declaration itself, not one within it.
  return around
    .slice(at)
    .every(({ type }) => !/^(?:statement_block|class_body|arguments|object|interface_body)$/.test(type));
}

/** True for the name in front of `as`. */
function isAliased({ content }: UsedFile, { end }: Identifier): boolean {
  return /^\s*as\s/.test(content.toString('utf8', end, end + 200));
}

/** True for an export from another file. */
export function hasSource(file: UsedFile, { around = [] }: Identifier): boolean {
  const statement = around.findLast(({ type }) => type === EXPORTING);
  return statement !== undefined && FROM.test(textOf(file, statement));
}

function textOf({ content }: UsedFile, { start, end }: TreeStep): string {
  return content.toString('utf8', start, end);
}

/** The module of `from module import name`; undefined for another statement. */
function pythonSource(statement: string): string | undefined {
  if (!/^from\b/.test(statement)) return undefined;
  return statement.slice('from'.length, statement.search(/\bimport\b/)).replace(/[\s\\]/g, '');
}

/** True if a file declares the name itself, so that it means something else there. */
export function declares(file: UsedFile): boolean {
  const roles: readonly NameRole[] = file.ranges.map((one) => roleOf(one, file.outline.language));
  return roles.includes('binding') || roles.includes('import');
}

/** True if two files lie in one directory. */
export function areNeighbours(a: string, b: string): boolean {
  return posix.dirname(a) === posix.dirname(b);
}
