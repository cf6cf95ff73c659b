import fs from 'node:fs';
import { expect, test } from 'vitest';

/** What each module exports: values, and types. */
const EXPORTS = {
  '.': [
    ['ERROR_CODES', 'ToolError', 'createJinn'],
    [
      'ApiAnswers',
      'ApiToolCall',
      'ApiTools',
      'ApprovalAnswer',
      'ApprovalQuestion',
      'Approve',
      'CallAnswer',
      'CallOptions',
      'Effect',
      'ErrorCode',
      'ErrorDetails',
      'ExampleCall',
      'Hosting',
      'ImageBlock',
      'Jinn',
      'JinnEvent',
      'JinnOptions',
      'McpTool',
      'ModelAnswer',
      'ModelBlock',
      'ModelJinn',
      'Risk',
      'SchemaOptions',
      'TextBlock',
      'ToolArgs',
      'ToolData',
      'ToolDescription',
      'ToolErrorOptions',
      'ToolName',
      'ToolsetName',
      'Toolsets',
    ],
  ],
  './ai': [['jinnTools'], ['AiTools']],
  './claude-agent': [['jinnServer'], []],
  './deepagents': [['jinnBackend'], ['BackendJinn']],
  './langchain': [['jinnTools'], ['LangChainTools']],
  './mastra': [['jinnTools'], []],
  './openai-agents': [['jinnTools'], []],
} as const;

test('the package exports these modules, and the frameworks are optional', () => {
  const { exports, peerDependencies, peerDependenciesMeta, dependencies } = JSON.parse(
    fs.readFileSync(`${import.meta.dirname}/../package.json`, 'utf8'),
  );
  expect(Object.keys(exports)).toEqual(Object.keys(EXPORTS));
  expect([Object.keys(peerDependenciesMeta), dependencies]).toEqual([Object.keys(peerDependencies), undefined]);
});

test.for(Object.entries(EXPORTS))('%s exports these values and types, and nothing else', ([name, [values, types]]) => {
  const file = name === '.' ? 'index.ts' : `adapters/${name.slice(2)}.ts`;
  const text = fs.readFileSync(`${import.meta.dirname}/${file}`, 'utf8');
  const declared = [...text.matchAll(/^export (?:async )?(?:function|const|interface|type) (\w+)/gm)];
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list = '']) => list);
  const listed = lists.flatMap((list) => list.split(',').map((each) => each.trim().replace(/^type |^\w+ as /g, '')));
  const found = [...declared.map(([, each]) => each), ...listed.filter((each) => each !== '')];
  expect(found.toSorted()).toEqual([...values, ...types].toSorted());
  // `export *` and other forms would hide names.
  expect(text.match(/^export\b/gm)).toHaveLength(declared.length + lists.length);
});
