import type { Node } from 'web-tree-sitter';
import {
  bodyBehind,
  bodyIn,
  childOf,
  type DeclaredName,
  field,
  firstChildren,
  type Grammar,
  type NodeRange,
  named,
  nameIn,
} from '../grammar.ts';

const MOST_NAME = 200;

function textOf(node: Node): string {
  return node.text.slice(0, MOST_NAME).trim().replace(/\s+/g, ' ');
}

const heading = (node: Node | null): DeclaredName[] => {
  const content = node && field(node, 'heading_content');
  return content ? [{ node: content, name: textOf(content) }] : [];
};

export const markdown: Grammar = {
  inside: 'document section ERROR',
  symbols: {
    section: {
      kind: (node) => (childOf(node, 'atx_heading') ? 'section' : undefined),
      names: (node) => heading(childOf(node, 'atx_heading')),
      body: (node) => bodyBehind(node, childOf(node, 'atx_heading')),
    },
    setext_heading: {
      kind: 'section',
      names: heading,
      body: (node) => bodyBehind(node, field(node, 'heading_content')),
      takesRest: true,
      leaf: true,
    },
  },
};

const HTML_SHARED: Grammar = {
  inside:
    'document fragment template_element if_statement else_statement each_statement await_statement key_statement ERROR',
  embedding: 'script_element',
  embedded: script,
  symbols: {
    element: {
      kind: (node) => {
        if (isHeading(node)) return 'section';
        return idOf(node) ? 'element' : undefined;
      },
      names: (node) =>
        isHeading(node) ? [{ node: childOf(node, 'text') ?? node, name: headingOf(node) }] : named(idOf(node)),
      body: content,
    },
  },
};

export const html = HTML_SHARED;
export const vue = HTML_SHARED;
export const svelte = HTML_SHARED;

function startTag(node: Node): Node | null {
  return childOf(node, 'start_tag', 'self_closing_tag');
}

function content(element: Node): NodeRange | null {
  const start = childOf(element, 'start_tag');
  const last = element.lastChild;
  if (!start || !last || isHeading(element)) return null;
  const end = last.type === 'end_tag' ? last.startIndex : element.endIndex;
  return end > start.endIndex ? { startIndex: start.endIndex, endIndex: end } : null;
}

function isHeading(element: Node): boolean {
  return /^h[1-6]$/i.test(childOf(startTag(element), 'tag_name')?.text ?? '');
}

function headingOf(element: Node): string {
  return textOf(element)
    .replace(/<[^<>]*>?/g, '')
    .trim();
}

function idOf(element: Node): Node | null {
  return attributeOf(element, 'id');
}

function attributeOf(element: Node, name: string): Node | null {
  const tag = startTag(element);
  const attribute =
    tag && firstChildren(tag).find((each) => childOf(each, 'attribute_name')?.text.toLowerCase() === name);
  if (!attribute) return null;
  return childOf(childOf(attribute, 'quoted_attribute_value') ?? attribute, 'attribute_value');
}

const SCRIPT_TYPES = /^(module|text\/(java|ecma|type)script|application\/(java|ecma)script|text\/babel)?$/i;
const SCRIPT_LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  typescript: 'typescript',
  tsx: 'tsx',
  jsx: 'javascript',
  js: 'javascript',
  '': 'javascript',
};

function script(element: Node): { language: string; text: Node } | undefined {
  const text = childOf(element, 'raw_text');
  const language = SCRIPT_LANGUAGES[attributeOf(element, 'lang')?.text.toLowerCase() ?? ''];
  if (!text || !language || !SCRIPT_TYPES.test(attributeOf(element, 'type')?.text ?? '')) return undefined;
  return { language, text };
}

const selectors = (node: Node): DeclaredName[] => {
  const first = childOf(node, 'selectors', 'keyframes_name') ?? node.child(0);
  return first ? [{ node: first, name: textOf(first) }] : [];
};

const condition = (node: Node): DeclaredName[] => {
  const block = childOf(node, 'block');
  const first = node.child(0);
  if (!block || !first) return [];
  const length = Math.min(block.startIndex - node.startIndex, MOST_NAME);
  return [{ node: first, name: node.text.slice(0, length).trim().replace(/\s+/g, ' ') }];
};

export const css: Grammar = {
  inside: 'stylesheet block ERROR',
  imports: 'import_statement charset_statement',
  symbols: {
    rule_set: { kind: 'rule', names: selectors, body: bodyIn('block') },
    media_statement: { kind: 'block', names: condition, body: bodyIn('block') },
    supports_statement: { kind: 'block', names: condition, body: bodyIn('block') },
    at_rule: { kind: 'block', names: condition, body: bodyIn('block') },
    keyframes_statement: {
      kind: 'block',
      names: nameIn('keyframes_name'),
      body: bodyIn('keyframe_block_list'),
      leaf: true,
    },
  },
};

export const make: Grammar = {
  inside: 'makefile conditional recipe ERROR',
  insideTop: 'elsif_directive else_directive',
  imports: 'include_directive',
  lineComment: '#',
  symbols: {
    rule: {
      kind: 'target',
      names: (node) => {
        const targets = childOf(node, 'targets');
        return targets ? [{ node: targets, name: textOf(targets) }] : [];
      },
      body: bodyIn('recipe'),
    },
    variable_assignment: { kind: 'variable', leaf: true },
    define_directive: { kind: 'macro', leaf: true },
  },
};

export const dockerfile: Grammar = {
  // The grammar knows a line that continues by `\\` and only LF.
  prepare: (text) => text.replaceAll('\\\r\n', '\\\n '),
  inside: 'source_file env_instruction ERROR',
  symbols: {
    from_instruction: {
      kind: 'stage',
      names: (node) => {
        const image = childOf(node, 'image_spec');
        return named(field(node, 'as') ?? (image && (field(image, 'name') ?? image)));
      },
      takesRest: true,
      leaf: true,
    },
  },
};
