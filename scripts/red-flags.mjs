// Counts the phrases that make a sentence hard to read: in the pages, in what the programs print, and in comments.
import fs from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { ROOT } from './setup.mjs';

/** Each phrase with what to write instead. */
const FLAGS = [
  [/;/, 'two sentences'],
  [/(?:^|[.:;|] )Of (?:an?|the|what|this|that|other|several|long|each|all|any)\b/, 'the subject first'],
  [/(?:^|[.;|] )Where (?!to\b|can\b|do\b|does\b|is\b|are\b)[a-z][^?\n]*[.;,:]/, 'if'],
  [/(?:^|[.;|] )What (?!is\b|are\b|do\b|does\b|if\b|happens\b|about\b)[a-z]+ [^?\n]*[.;]/, 'the subject first'],
  [/(?:^|[.;|] )(?:One|Those|Others|All|Another) (?:that|which|who|of which|whose|else)\b/, 'the subject first'],
  [/\b(?:and so|[.;] So|^So) (?:is|are|was|do|does|did|has|have|can)\b/, 'the fact'],
  [/\bneither (?:is|are|has|have|does|do|can)\b|\bnor (?:is|are|has|have|does|do|can|may)\b/, 'not'],
  [/\b(?:This|That|It|it) is so\b|\bsa(?:y|ys|id) so\b|\bas (?:it|that|they) stands?\b/, 'the fact'],
  [/\b(?!(?:leave|left|leaves|stand|let|it|them|go)\b)\w+ alone(?=[.,;:) |]|$)/, 'only'],
  [/\btells\b|\b(?:is|are|was|were|be) told\b|\btells? (?:of|apart)\b/, 'reports, shows'],
  [/\b(?:mend(?:s|ed|ing)?|anew|beside|unasked|amiss|likewise|at fault)\b/, 'fix, again, next to'],
  [/[,;(] else\b|(?:^|[.;|] )Else\b|\ball else\b|\bwhat else\b/, 'otherwise'],
  [/\bst(?:ands|ood)\b(?! for)|\blies\b|\b(?:may|must|can|could) (?:stand|lie)\b(?! for)/, 'is'],
  [/\blead(?:s|ing)? (?:out|to|back|nowhere|elsewhere)\b|\bgo(?:es)? on\b/, 'points to, continues'],
  [/\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ww]hoever|[Ww]hatever)\b/, 'the user, anyone who'],
  [/\bleft out\b|\bleaves? out\b/, 'skipped, omitted, excluded'],
  [/\bt(?:ak(?:e|es|en|ing)|ook) (?:\w+ ){0,3}back\b|\bfor good\b/, 'undo, revoke, saved'],
  [/, as (?:CODE|`)/, 'such as'],
  [/\bbegin(?:s|ning)?\b|\bbegan\b/, 'start'],
  [/\bbehind (?!an? (?:\w+ )?(?:proxy|load|firewall|balancer)|the (?:scenes|proxy)|nginx|CODE)/, 'after'],
  [/\b(?:in|takes?) (?:the|its|their) place\b/, 'instead of'],
  [/\bha(?:s|ve) the (?:whole|rest)\b|\bthe whole[.;]/, 'what it contains'],
  [/\b(?:an?|one) (?:file|line|row|page|path|call|request|time) an? \w+\b(?=[.,;: ])/, 'per'],
  [/\bonce an? (?:session|workspace|conversation|process)\b/, 'once per'],
  [/\b(?:a|the) person\b|\bpeople\b/, 'user'],
  [/\b(?:your|person's) word\b|\bword of a person\b|\bsaid so\b|\bthe doors?\b/, 'approval'],
].map(([pattern, instead]) => [new RegExp(pattern, 'gm'), instead]);

/** Returns the number of words of a text without code, and each phrase with what to write instead. */
export function countFlags(text) {
  const found = FLAGS.flatMap(([pattern, instead]) =>
    [...text.matchAll(pattern)].map(({ 0: phrase, index }) => ({
      phrase: phrase.trim(),
      instead,
      around: text.slice(Math.max(0, index - 40), index + phrase.length + 40).replaceAll('\n', ' '),
    })),
  );
  return { words: text.split(/\s+/).filter(Boolean).length, found };
}

/** Returns the prose of a page: no code, links without their addresses, paragraphs on one line. */
export function pageProse(text) {
  return text
    .replace(/<!-- [a-z-]+:begin[^>]*-->.*?:end -->/gs, '')
    .replace(/^---\n.*?\n---\n/s, '')
    .replace(/(^|\n)[ \t]*(````|```|~~~)[^\n]*\n.*?\n[ \t]*\2[ \t]*(?=\n|$)/gs, '\n')
    .replace(/<!--.*?-->|!\[[^\]]*\]\([^)]*\)|<[^>\n]+>/gs, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`\n]+`/g, 'CODE')
    .replace(/https?:\/\/\S+/g, 'URL')
    .replace(/(?<=[^\n|])\n(?=[a-zA-Z(*])/g, ' ');
}

/** Reads the sources of the programs and packages: their comments, and the sentences that they print. */
export function readSources(files) {
  const comments = [];
  const messages = [];
  for (const file of files) {
    const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
    const parsed = parseSync(file, text);
    for (const { value } of parsed.comments) comments.push({ file, text: commentProse(value) });
    new Visitor({
      Literal: ({ value }) => isSentence(value) && messages.push({ file, text: value }),
      TemplateLiteral: ({ quasis }) => {
        const joined = quasis.map(({ value }) => value.cooked).join('CODE');
        if (isSentence(joined)) messages.push({ file, text: joined });
      },
    }).visit(parsed.program);
  }
  return { comments, messages };
}

function commentProse(value) {
  const prose = value.replace(/^\s*\*+ ?/gm, '').replace(/`[^`\n]+`/g, 'CODE');
  return prose.replace(/(?<=\S)\n(?=\S)/g, ' ').trim();
}

/** Reports whether a text of the sources is for readers: at least four words, and no code. */
function isSentence(value) {
  return typeof value === 'string' && /^[^{}<>=]*$/.test(value) && /(?:\b[a-z]+\b[ ,.]+){3}[a-z]+/i.test(value);
}
