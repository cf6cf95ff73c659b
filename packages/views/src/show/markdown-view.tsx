import type { VisualizationOf } from '@jinn/core/visualization';
import MarkdownIt from 'markdown-it';
import { type ComponentChildren, h } from 'preact';
import { useMemo } from 'preact/hooks';
import { shownLinesOf, toShown } from '../text/shown-text.ts';
import { Card } from './card.tsx';
import { CodeBody } from './code-view.tsx';

type Markdown = VisualizationOf<'markdown'>;
type Token = ReturnType<typeof parser.parse>[number];

/** A longer document is shown unchanged. */
const MAX_TEXT = 300_000;
const LINK = /^(https?:\/\/|mailto:)/i;
const ALIGNMENT = /text-align:(left|right|center)/;

const parser = new MarkdownIt({ html: false, linkify: false });

/** Elements that are made by their own names. */
const ELEMENTS = [
  'p',
  'blockquote',
  'ul',
  'ol',
  'li',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'em',
  'strong',
  's',
  'hr',
  'br',
];

/**
 * Shows a document. Security: HTML in it is text, images are named and not loaded, and links can only point to the web.
 */
export function MarkdownView({ markdown, isOpen }: { markdown: Markdown; isOpen: boolean }) {
  const { title, content, sourceUrl } = markdown;
  return (
    <Card
      title={title ?? 'Document'}
      isOpen={isOpen}
      facts={sourceUrl && <Link href={sourceUrl}>{toShown(sourceUrl)}</Link>}
      copied={() => content}
      body={() => <MarkdownBody content={content} />}
    />
  );
}

function MarkdownBody({ content }: { content: string }) {
  const isLong = content.length > MAX_TEXT;
  const nodes = useMemo(() => (isLong ? null : toNodes(parser.parse(content, {}))), [content]);
  if (isLong) return <CodeBody name="a long document" lines={shownLinesOf(content)} language={undefined} />;
  return <div class="markdown">{nodes}</div>;
}

function toNodes(tokens: readonly Token[]): ComponentChildren[] {
  const nodes: ComponentChildren[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const end = token.nesting === 1 ? endOf(tokens, at) : at;
    nodes.push(toNode(token, tokens.slice(at + 1, end)));
    at = end;
  }
  return nodes;
}

function endOf(tokens: readonly Token[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    depth += tokens[at]?.nesting ?? 0;
    if (depth === 0) return at;
  }
  return tokens.length;
}

function toNode(token: Token, inner: readonly Token[]): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return toNodes(token.children ?? []);
    case 'text':
      return toShown(token.content);
    case 'softbreak':
      return '\n';
    case 'code_inline':
      return <code>{toShown(token.content)}</code>;
    case 'fence':
    case 'code_block':
      return <Fence token={token} />;
    case 'image':
      return <span class="quiet">{`[image: ${toShown(token.content)}] ${toShown(token.attrGet('src'))}`}</span>;
    case 'link_open':
      return <Link href={token.attrGet('href')}>{toNodes(inner)}</Link>;
    case 'heading_open':
      // Headings start below those of the page.
      return h(`h${Math.min(6, Number(token.tag.slice(1)) + 2)}`, null, toNodes(inner));
    case 'table_open':
      return <table class="plain">{toNodes(inner)}</table>;
    default:
      return toElement(token, inner);
  }
}

function toElement(token: Token, inner: readonly Token[]): ComponentChildren {
  // A tight list has no paragraphs.
  if (token.hidden) return toNodes(inner);
  if (!ELEMENTS.includes(token.tag)) return toShown(token.content);
  const [, alignment] = ALIGNMENT.exec(String(token.attrGet('style'))) ?? [];
  const start = Number(token.attrGet('start') ?? 1);
  const attributes = { ...(alignment && { class: alignment }), ...(start !== 1 && { start }) };
  return h(token.tag, attributes as object, toNodes(inner));
}

function Link({ href, children }: { href: unknown; children: ComponentChildren }) {
  if (typeof href !== 'string' || !LINK.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function Fence({ token }: { token: Token }) {
  const lines = useMemo(() => shownLinesOf(token.content), [token.content]);
  return <CodeBody name="a block of code" lines={lines} language={token.info.trim().split(/\s/)[0]} />;
}
