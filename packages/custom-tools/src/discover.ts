import { DefinitionError, readDefinition, type ToolDefinition } from './define/definition.ts';
import { listFolders, readSmallFile, resolveInside, type ToolFolder } from './folders/index.ts';

const MAX_DEFINITION_BYTES = 256 * 1024;

/** A directory of tool folders. */
export interface ToolPlace {
  readonly directory: string;
  /** Its name in messages: `tools`, since no message may hold a path of the machine. */
  readonly shown: string;
  /** Says whether the tools are the user's own, or came with the workspace. */
  readonly origin: 'user' | 'workspace';
}

/** A tool that was found, and where. */
export interface FoundTool extends ToolDefinition {
  readonly origin: ToolPlace['origin'];
  /** The absolute path of its folder. A link is not resolved. */
  readonly folder: string;
  /** The name of the folder in messages: `tools/word-count`. */
  readonly shown: string;
  readonly file: 'tool.md' | 'tool.json';
}

/** A folder without a usable tool. */
export interface Fault {
  readonly shown: string;
  /** The name of the tool, if it has one. */
  readonly name: string | undefined;
  /** What is wrong, with the file and the field. */
  readonly sentence: string;
}

export interface Discovery {
  readonly tools: readonly FoundTool[];
  readonly faults: readonly Fault[];
}

interface KnownTool {
  readonly stat: string;
  readonly tool: FoundTool;
}

/** Finds the tools of one directory. Folders without changes since the last look are not read again. */
export class ToolFinder {
  readonly #place: ToolPlace;
  #known = new Map<string, KnownTool>();

  constructor(place: ToolPlace) {
    this.#place = place;
  }

  /** Finds the tools of the directory. It never rejects: a folder that cannot be read is a fault. */
  async find(): Promise<Discovery> {
    const { directory, shown, origin } = this.#place;
    const tools: FoundTool[] = [];
    const faults: Fault[] = [];
    const known = new Map<string, KnownTool>();
    try {
      for (const folder of listFolders(directory, { followsLinks: origin === 'user' })) {
        const read = await this.#read(folder);
        if ('sentence' in read) {
          faults.push(read);
          continue;
        }
        tools.push(read);
        if (folder.stat !== undefined) known.set(folder.name, { stat: folder.stat, tool: read });
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      faults.push({ shown, name: undefined, sentence: `${shown}: it cannot be listed (${code})` });
    }
    this.#known = known;
    return { tools, faults };
  }

  async #read(folder: ToolFolder): Promise<FoundTool | Fault> {
    const known = this.#known.get(folder.name);
    if (known !== undefined && known.stat === folder.stat) return known.tool;
    const read = await readTool(folder, this.#place);
    // Another look may have read it in the meantime: both must find the same tool, or it would seem to have changed.
    const other = this.#known.get(folder.name);
    if (other !== undefined && other.stat === folder.stat) return other.tool;
    if (!('sentence' in read) && folder.stat !== undefined) {
      this.#known.set(folder.name, { stat: folder.stat, tool: read });
    }
    return read;
  }
}

async function readTool({ name, path, file }: ToolFolder, place: ToolPlace): Promise<FoundTool | Fault> {
  const shown = `${place.shown}/${name}`;
  if (file === undefined) return { shown, name: undefined, sentence: `${shown}: it has neither tool.md nor tool.json` };
  try {
    const definition = await readChecked(path, file);
    return { ...definition, origin: place.origin, folder: path, shown, file };
  } catch (error) {
    const toolName = error instanceof DefinitionError ? error.toolName : undefined;
    return { shown, name: toolName, sentence: `${shown}/${file}: ${(error as Error).message}` };
  }
}

/** Reads the definition of a folder that is not in its place yet. Throws an Error that says what is wrong. */
export function readFolder(folder: string): Promise<ToolDefinition> {
  return readChecked(folder, 'problem' in resolveInside(folder, 'tool.md') ? 'tool.json' : 'tool.md');
}

async function readChecked(folder: string, file: FoundTool['file']): Promise<ToolDefinition> {
  const definition = await readDefinition(file, readSmallFile(`${folder}/${file}`, MAX_DEFINITION_BYTES));
  const faults = findScriptFaults(folder, definition);
  if (faults.length > 0) throw new DefinitionError(faults, definition.name);
  return definition;
}

function findScriptFaults(folder: string, { script, securityScript, runtime }: ToolDefinition): string[] {
  const found = resolveInside(folder, script);
  const faults = 'problem' in found ? [`script: ${found.problem}`] : [];
  if (!('problem' in found) && runtime === 'binary' && !found.isExecutable) {
    faults.push(`script: ${script} is not executable: run chmod +x`);
  }
  if (securityScript === undefined) return faults;
  const check = resolveInside(folder, securityScript);
  return 'problem' in check ? [...faults, `securityScript: ${check.problem}`] : faults;
}
