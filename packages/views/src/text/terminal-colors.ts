import Anser from 'anser';
import { shownLinesOf } from './shown-text.ts';

/** A part of a line of a terminal. Colours are those of a style sheet, fit to be read on the ground of the view. */
export interface TerminalPart {
  readonly text: string;
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly className: string;
}

type Color = readonly [red: number, green: number, blue: number];

/** The ground of the view, in light and in dark. */
const GROUND: Color = [13, 17, 23];
const TEXT: Color = [230, 237, 243];
const MIN_CONTRAST = 4.5;
const STEPS = 10;

/** Strings for a terminal (titles, links, the clipboard), codes that are not colours, and the remains of either. */
const CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that drive a terminal.
  /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins the code of a colour.
const COLOR_CODE = /^\u001b\[[\d;]*m$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins the code of a colour.
const COLOR_CODES = /\u001b\[[\d;]*m/g;

/** Turns the output of a program into coloured lines, as a terminal would show them at the end. */
export function toTerminalLines(output: string): TerminalPart[][] {
  const text = output.replace(CODES, (code) => (COLOR_CODE.test(code) ? code : ''));
  const entries = Anser.ansiToJson(shownLinesOf(text).map(afterReturn).join('\n'), { json: true, remove_empty: true });
  const lines: TerminalPart[][] = [[]];
  for (const part of entries.map(toPart)) {
    for (const [i, piece] of part.text.split('\n').entries()) {
      if (i > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push({ ...part, text: piece });
    }
  }
  return lines;
}

function afterReturn(line: string): string {
  const at = line.lastIndexOf('\r') + 1;
  return at === 0 ? line : (line.slice(0, at).match(COLOR_CODES) ?? []).join('') + line.slice(at);
}

/** Makes a part of a line. Concealed text stays visible, since it is part of the output. */
function toPart({ content, fg, bg, decorations }: Anser.AnserJsonEntry): TerminalPart {
  const [front, back] = decorations.includes('reverse') ? [bg, fg] : [fg, bg];
  const background = toColor(back) ?? (decorations.includes('reverse') ? TEXT : undefined);
  const color = toColor(front) ?? (background && (decorations.includes('reverse') ? GROUND : TEXT));
  const className = decorations.filter((name) => ['bold', 'italic', 'underline', 'strikethrough'].includes(name));
  return {
    text: content,
    color: color && toStyle(toLegible(color, background ?? GROUND)),
    background: background && toStyle(background),
    className: className.join(' '),
  };
}

function toColor(numbers: string | null): Color | undefined {
  const [red, green, blue] = (numbers ?? '').split(',').map((number) => Number.parseInt(number, 10));
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [red, green, blue].some((value) => Number.isNaN(value) || value > 255) ? undefined : [red, green, blue];
}

function toStyle([red, green, blue]: Color): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

function toLegible(color: Color, ground: Color): Color {
  const target = luminance(ground) < 0.18 ? 255 : 0;
  for (let step = 0; step < STEPS; step++) {
    const mix = (value: number) => Math.round(value + ((target - value) * step) / STEPS);
    const mixed: Color = [mix(color[0]), mix(color[1]), mix(color[2])];
    if (contrast(mixed, ground) >= MIN_CONTRAST) return mixed;
  }
  return [target, target, target];
}

/** Measures the contrast as the guidelines for accessible pages do (WCAG 2). */
function contrast(a: Color, b: Color): number {
  const [darker, lighter] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
