/** How many items are visited before others get their turn. */
const PER_TURN = 20_000;

/**
 * Visits all items. Where there are more than `perTurn`, `checkpoint` is awaited before each so many of them; gives
 * undefined when nothing had to be waited for. Throws what either throws.
 */
export function inTurns<T>(
  items: readonly T[],
  checkpoint: () => Promise<void>,
  visit: (item: T) => void,
  perTurn = PER_TURN,
): Promise<void> | undefined {
  if (items.length > perTurn) return takeTurns(items, checkpoint, visit, perTurn);
  for (const item of items) visit(item);
  return undefined;
}

async function takeTurns<T>(
  items: readonly T[],
  checkpoint: () => Promise<void>,
  visit: (item: T) => void,
  perTurn: number,
): Promise<void> {
  for (let i = 0; i < items.length; i++) {
    if (i % perTurn === 0) await checkpoint();
    visit(items[i] as T);
  }
}
