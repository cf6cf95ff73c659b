import { createSession } from '@jinn/core';
import { openTestMachine } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { echoing, TOOLSETS } from './fixture/echoing-tools.ts';

describe.for(TOOLSETS)('toolset $toolset', ({ tools, descriptions }) => {
  const surroundings = () => ({ ...openTestMachine({ root: import.meta.dirname }), session: createSession() });

  test.for(descriptions)('$name describes itself', async ({ name, description, schema, examples }) => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(description).toMatch(/^[A-Z].{20,}\.$/);
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const argument of Object.values(schema.properties ?? {})) expect(argument.description).toMatch(/^[A-Z]/);
    expect(examples.length).toBeGreaterThan(0);
    const registry = await echoing(tools);
    const at = surroundings();
    for (const example of examples) {
      const args = JSON.parse(JSON.stringify(example).replaceAll('/path/to/project', at.workspace.root));
      if (args.targets) args.targets = ['schemas'];
      expect(await registry.call({ tool: name, args }, at)).toMatchObject({ ok: true });
    }
  });

  test.for(tools)(
    '$name is listed by its own name, with the schema generated from it',
    async ({ name, load, define }) => {
      const tool = await define();
      expect(tool.name).toBe(name);
      expect(await (await load()).input.schema()).toEqual(await tool.input.schema());
    },
  );
});
