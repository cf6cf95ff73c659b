/** Outlines in a square of 16. */
const PATHS = {
  folded: 'M6 4l4 4-4 4',
  unfolded: 'M4 6l4 4 4-4',
  copy: 'M6 6h7v7H6z M10 6V3H3v7h3',
  edit: 'M3 13l1-3 7-7 2 2-7 7z',
  plus: 'M8 3v10 M3 8h10',
  trash: 'M3 5h10 M6 5V3h4v2 M5 5l.5 8h5l.5-8',
  search: 'M7 3a4 4 0 1 0 0 8a4 4 0 0 0 0-8 M10 10l3 3',
  completed: 'M3 8l4 4 6-8',
  pending: 'M8 3a5 5 0 1 0 0 10a5 5 0 0 0 0-10',
  in_progress: 'M8 3a5 5 0 1 0 0 10a5 5 0 0 0 0-10 M8 5v3l2 2',
  cancelled: 'M4 4l8 8 M12 4l-8 8',
} as const;

export type IconName = keyof typeof PATHS;

/** Draws an icon, which screen readers skip: its meaning is next to it as text. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
