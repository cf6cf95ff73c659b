import { expect, test } from 'vitest';
import { isWesternText } from './content-reader.ts';

test.each([
  "Les élèves créèrent « l'été » à Noël",
  'Größe für Straßen, äöü ÄÖÜß',
  '¿Qué año? ¡Mañana, señor!',
  'Configurações: não são ações, coração',
  'Það er þýðing á íslensku, æði',
  'Ääniä, yö, hyvää päivää, jäääär',
  'Smørrebrød på dansk, Ærø, å',
  '© 2020 Müller ® 20°C ±5 µm ½',
  '# ······· à ······· #',
  '\x93quoted\x94 \x96 it\x92s 5 \x80\x85',
  'plain ASCII',
])('takes %s for text of Western Europe', (text) => {
  expect(isWesternText(Buffer.from(text, 'latin1'))).toBe(true);
});

test.each([
  [
    'Shift-JIS',
    '2f2f2090dd92e882f093c782dd8d9e82dd82dc82b70a636c61737320436f6e66207b20537472696e67206e616d65203d2022928d95b6223b207d0a',
  ],
  ['Shift-JIS, katakana', '2320837483408343838b88ea97970a'],
  [
    'EUC-JP',
    '2f2f20c0dfc4eaa4f2c6c9a4dfb9fea4dfa4dea4b90a636c61737320436f6e66207b20537472696e67206e616d65203d2022c3edcab8223b207d0a',
  ],
  ['EUC-KR', '2f2f20bcb3c1a420c6c4c0cf0a696e7420613b0a'],
  ['GBK', '2f2f20b6c1c8a1c5e4d6c3cec4bcfe0a696e742061203d20313b202f2f20d6d00a'],
  ['Big5', '2f2f20c5aaa8fab35da9770a696e7420613b0a'],
  ['KOI8-R', '2f2f20fac1c7d2d5dacbc120cec1d3d4d2cfc5cb0a696e7420613b0a'],
  ['CP1251', '2320eef8e8e1eae00a'],
  ['CP866', '72656d208fe0a8a2a5e22c20aca8e00a'],
])('takes %s for another encoding', (_, hex) => {
  expect(isWesternText(Buffer.from(hex, 'hex'))).toBe(false);
});
