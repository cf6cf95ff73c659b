import { expect, test } from 'vitest';
import { sourceLanguageOf } from './index.ts';

test.each([
  ['src/a.ts', 'typescript'],
  ['a.d.mts', 'typescript'],
  ['A.TSX', 'tsx'],
  ['a.cjs', 'javascript'],
  ['a.pyi', 'python'],
  ['x/Makefile', 'make'],
  ['GNUmakefile', 'make'],
  ['Makefile.am', 'make'],
  ['Dockerfile', 'dockerfile'],
  ['Dockerfile.dev', 'dockerfile'],
  ['api.dockerfile', 'dockerfile'],
  ['Rakefile', 'ruby'],
  ['main.tf', 'terraform'],
  ['a.h', 'c'],
  ['a.hpp', 'cpp'],
  ['a.sol', 'solidity'],
  ['.bashrc', 'bash'],
  ['a.txt', undefined],
  ['ts', undefined],
  ['__proto__', undefined],
  ['', undefined],
])('the language of %s is %s', (name, language) => {
  expect(sourceLanguageOf(name)).toBe(language);
});

test.each([
  ['#!/bin/sh', 'bash'],
  ['#!/usr/bin/env python3', 'python'],
  ['#!/usr/bin/env python3.12\n', 'python'],
  ['#! /usr/bin/ruby -w', 'ruby'],
  ['#!/usr/bin/env -S node --enable-source-maps', 'javascript'],
  ['#!/usr/bin/env -S A=1 tsx', 'typescript'],
  ['#!/usr/bin/env\nnode', undefined],
  ['#!/opt/own', undefined],
  ['#!', undefined],
  ['node', undefined],
])('a file without an extension that begins with %j is %s', (head, language) => {
  expect(sourceLanguageOf('bin/run', Buffer.from(head))).toBe(language);
});

test('an extension tells more than a first line', () => {
  expect(sourceLanguageOf('a.py', Buffer.from('#!/bin/sh'))).toBe('python');
  expect(sourceLanguageOf('a.unknown', Buffer.from('#!/bin/sh'))).toBeUndefined();
});
