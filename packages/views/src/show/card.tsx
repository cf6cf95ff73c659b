import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { plural, toShown } from '../text/shown-text.ts';
import { Icon } from './icon.tsx';

const COPIED_FOR_MS = 2_000;

export interface CardProps {
  readonly title: unknown;
  readonly facts?: ComponentChildren;
  readonly isOpen: boolean;
  /** True for a card in a card, which has a heading of a lower level. */
  readonly isInner?: boolean;
  /** Returns the text for the button that copies. */
  readonly copied?: (() => string) | undefined;
  /** Draws the part that can be folded. Called only if it is shown. */
  readonly body: () => ComponentChildren;
}

/** Shows a heading that folds the part below it, facts, and a button that copies. */
export function Card({ title, facts, isOpen, isInner = false, copied, body }: CardProps) {
  const [open, setOpen] = useState(isOpen);
  const id = useId();
  const Heading = isInner ? 'h3' : 'h2';
  const name = toShown(title);
  return (
    <article class="card">
      <header>
        <Heading>
          <button type="button" class="fold" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            <Icon name={open ? 'unfolded' : 'folded'} />
            <bdi>{name}</bdi>
          </button>
        </Heading>
        <span class="facts">{facts}</span>
        {copied && <CopyButton of={name} text={copied} />}
      </header>
      <div id={id} class="body" hidden={!open}>
        {open && body()}
      </div>
    </article>
  );
}

function CopyButton({ of, text }: { of: string; text: () => string }) {
  const [state, setState] = useState('');
  const copy = async () => {
    setState((await copyText(text())) ? 'copied' : 'not copied');
    setTimeout(() => setState(''), COPIED_FOR_MS);
  };
  return (
    <span class="copy">
      <span role="status">{state}</span>
      <button type="button" class="more" aria-label={`Copy ${of}`} onClick={() => void copy()}>
        <Icon name="copy" />
      </button>
    </span>
  );
}

/** Copies by the clipboard, or in a frame that may not use it by the command of older browsers. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    return isCopied;
  }
}

/** Shows a line up to a length that a browser can lay out, and the rest on request. */
export function LongLine({ length, limit, draw }: { length: number; limit: number; draw: (shown: number) => unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (length <= limit || isWhole) return <>{draw(length)}</>;
  return (
    <>
      {draw(limit)}
      <button type="button" class="more" onClick={() => setWhole(true)}>
        {plural(length - limit, 'character')} more
      </button>
    </>
  );
}
