import fs from 'node:fs';

/** What the kernel calls the places where a thread waits for the other end of a FIFO, by proc_pid_wchan(5). */
const OPENS = /^(wait_for_partner|fifo_open)$/;
/** The same for bytes from a pipe; a FIFO is a pipe with a name. */
const READS = /^((anon_)?pipe_read|pipe_wait)$/;

/** Reports whether a program waits at a FIFO, to which nobody may ever write. False if the system does not say. */
export function waitsAtFifo(pid: number): boolean {
  const places = list(`/proc/${pid}/task`).map((thread) => read(`/proc/${pid}/task/${thread}/wchan`));
  return places.some((place) => OPENS.test(place)) || (places.some((place) => READS.test(place)) && holdsFifo(pid));
}

function holdsFifo(pid: number): boolean {
  return list(`/proc/${pid}/fd`).some((fd) => {
    const path = `/proc/${pid}/fd/${fd}`;
    try {
      return fs.readlinkSync(path).startsWith('/') && fs.statSync(path).isFIFO();
    } catch {
      return false; // It was closed meanwhile.
    }
  });
}

function list(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return []; // There is no /proc, or the process has ended.
  }
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
