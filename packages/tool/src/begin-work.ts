/** The loader of a program listens to it. */
export const BEGIN = 'jinn:begin';

/** Tells the loader that the program begins what it is for: that it does more than print or install something. */
export function beginWork(): void {
  (process as NodeJS.EventEmitter).emit(BEGIN);
}
