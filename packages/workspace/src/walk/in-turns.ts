const PER_TURN = 20_000;

/**
 * Visits all items, and waits for the promises of `visit`. Returns undefined when all is done. For more than `perTurn`, it
 * awaits `checkpoint` in between.
 */
export function visitInTurns<T>(
  items: readonly T[],
  checkpoint: () => Promise<void>,
  visit: (item: T) => unknown,
  perTurn = PER_TURN,
): Promise<void> | undefined {
  if (items.length > perTurn) return takeTurns(items, checkpoint, visit, perTurn);
  for (let i = 0; i < items.length; i++) {
    const waits = visit(items[i] as T);
    if (waits instanceof Promise) return waits.then(() => visitInTurns(items.slice(i + 1), checkpoint, visit, perTurn));
  }
  return undefined;
}

async function takeTurns<T>(
  items: readonly T[],
  checkpoint: () => Promise<void>,
  visit: (item: T) => unknown,
  perTurn: number,
): Promise<void> {
  for (let i = 0; i < items.length; i++) {
    if (i % perTurn === 0) await checkpoint();
    const waits = visit(items[i] as T);
    if (waits instanceof Promise) await waits;
  }
}
