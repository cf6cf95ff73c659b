import type { LeftOutTool, LiveToolset, Machine, ToolEntry } from '@jinn/core';
import { toVisible } from '@jinn/core/text';
import { type Discovery, type Fault, type FoundTool, ToolFinder, type ToolPlace } from './discover.ts';
import { watchFolders } from './folders/index.ts';
import { shellCommand } from './shell-words.ts';
import { toTool } from './to-tool.ts';
import { isTrusted, TRUST_PROGRAMS } from './tool-trust.ts';

/** How often the folders are looked at if the system reports no changes. */
const LOOK_MS = 60_000;

/** What the custom toolset may use of the machine. */
export type ToolMachine = Pick<Machine, 'user' | 'workspace' | 'grants'>;

export interface CustomOptions {
  readonly machine: ToolMachine;
  /** The names of the built-in tools, each with its toolset. No custom tool may take one. */
  readonly builtIn: ReadonlyMap<string, string>;
}

/** All folders of custom tools, sorted by their state. */
export interface Survey {
  /** The tools that are served. */
  readonly tools: readonly FoundTool[];
  /** Tools of the workspace that the user has not trusted as they are. */
  readonly untrusted: readonly FoundTool[];
  readonly faults: readonly Fault[];
}

/** Makes a function that looks at all folders. A folder without changes since its last call is not read again. */
export function createSurvey({ machine, builtIn }: CustomOptions): () => Promise<Survey> {
  const finders = placesOf(machine).map((place) => new ToolFinder(place));
  return async () => {
    const discoveries = await Promise.all(finders.map((finder) => finder.find()));
    const found = discoveries.flatMap(({ tools }) => tools);
    const trusted = await Promise.all(found.map((tool) => isTrusted(tool, machine.grants)));
    const { tools, faults } = separate(
      found.filter((_, i) => trusted[i]),
      builtIn,
    );
    return {
      tools,
      untrusted: found.filter((_, i) => !trusted[i]),
      faults: [...discoveries.flatMap((discovery) => discovery.faults), ...faults],
    };
  };
}

/** Returns the directories of custom tools: the user's own, and the one that a workspace brings. */
export function placesOf({ user, workspace }: ToolMachine): ToolPlace[] {
  const { directory } = user.state;
  const own =
    directory === undefined ? [] : [{ directory: `${directory}/tools`, shown: 'tools', origin: 'user' } as const];
  return [...own, { directory: `${workspace.root}/.jinn/tools`, shown: '.jinn/tools', origin: 'workspace' }];
}

/** Leaves out tools that share a name with another or with a built-in one, so that no tool is chosen silently. */
function separate(tools: readonly FoundTool[], builtIn: ReadonlyMap<string, string>): Discovery {
  const names = [...new Set(tools.map(({ name }) => name))];
  const faults = names.flatMap((name): Fault[] => {
    const same = tools.filter((tool) => tool.name === name);
    const toolset = findBuiltIn(name, builtIn);
    const folders = same.map(({ shown }) => shown).join(' and ');
    if (toolset !== undefined) {
      const sentence = `${folders}: name: ${name} is the name of a built-in tool of the toolset ${toolset}`;
      return [{ shown: folders, name, sentence }];
    }
    if (same.length === 1) return [];
    return [{ shown: folders, name, sentence: `${folders}: name: they all define ${name}, so none of them is served` }];
  });
  const left = new Set(faults.map(({ name }) => name));
  return { tools: tools.filter(({ name }) => !left.has(name)), faults };
}

/** Returns the toolset of the built-in tool with a name, in any case, since a model would confuse the two. */
export function findBuiltIn(name: string, builtIn: ReadonlyMap<string, string>): string | undefined {
  return [...builtIn].find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
}

/** Returns the toolset `custom`: each folder with a definition and a script is a tool. */
export function createCustomToolset(options: CustomOptions): LiveToolset {
  const survey = createSurvey(options);
  const listeners = new Set<() => void>();
  let lastSeen: string | undefined;
  const seen = new WeakMap<FoundTool, number>();
  let count = 0;

  /** Looks at all folders, and notifies the listeners if the list has changed. */
  async function look() {
    const found = await survey();
    for (const tool of found.tools) if (!seen.has(tool)) seen.set(tool, count++);
    const state = found.tools.map((tool) => seen.get(tool)).join();
    const hasChanged = lastSeen !== undefined && state !== lastSeen;
    lastSeen = state;
    if (hasChanged) for (const listener of listeners) listener();
    return {
      tools: found.tools.map(toEntry),
      leftOut: [...found.faults.map(toLeftOut), ...found.untrusted.map(toUntrusted)],
    };
  }

  return {
    name: 'custom',
    look,
    watch: (onChange) => {
      listeners.add(onChange);
      void look().catch(() => undefined);
      const lookAgain = () => void look().catch(() => undefined);
      const unwatch = watchFolders(
        placesOf(options.machine).map(({ directory }) => directory),
        lookAgain,
      );
      const timer = setInterval(lookAgain, LOOK_MS).unref();
      return () => {
        listeners.delete(onChange);
        clearInterval(timer);
        unwatch();
      };
    },
  };
}

function toEntry(tool: FoundTool): ToolEntry {
  const { name, shown, dangerous } = tool;
  return { name, effect: 'execute', isMarked: dangerous, from: shown, load: async () => toTool(tool) };
}

function toLeftOut({ name, shown, sentence }: Fault): LeftOutTool {
  const folder = shown.split('/').at(-1) ?? shown;
  return { names: name === undefined ? [folder] : [name, folder], reason: toVisible(sentence) };
}

function toUntrusted({ shown, name }: FoundTool): LeftOutTool {
  const commands = [TRUST_PROGRAMS.own, TRUST_PROGRAMS.team].map((program) => shellCommand(`${program} trust`, name));
  const reason = `${shown}: the tool ${name} came with the workspace and is off until the user trusts it: ${commands[0]}. On a team server, the operator trusts it for all: ${commands[1]}`;
  return { names: [name], reason: toVisible(reason) };
}
