import fs from 'node:fs';
import type { Socket } from 'node:net';

const HOSTS = ['127.0.0.1', '::1'];
const LISTS = ['/proc/net/tcp', '/proc/net/tcp6'];
const LISTEN = '0A';
const CONNECT_MS = 500;

/** Reports whether something on this machine accepts connections at a TCP port. */
export async function isListening(port: number): Promise<boolean> {
  return (await Promise.all(HOSTS.map((host) => accepts(host, port)))).includes(true);
}

function accepts(host: string, port: number): Promise<boolean> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    const socket: Socket = connect({ host, port, timeout: CONNECT_MS }, end(true));
    socket.once('error', end(false)).once('timeout', end(false));
  });
}

/** Reports whether one of these processes listens on a TCP port. False without /proc. */
export function haveListener(pids: readonly number[]): boolean {
  const sockets = new Set(pids.flatMap(socketsOf));
  return LISTS.some((list) => readRows(list).some((fields) => fields[3] === LISTEN && sockets.has(fields[9])));
}

function socketsOf(pid: number): (string | undefined)[] {
  try {
    const links = fs.readdirSync(`/proc/${pid}/fd`).map((fd) => fs.readlinkSync(`/proc/${pid}/fd/${fd}`));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    return []; // It has ended, or belongs to another user.
  }
}

function readRows(list: string): string[][] {
  if (!fs.existsSync(list)) return [];
  const rows = fs.readFileSync(list, 'latin1').split('\n');
  return rows.map((row) => row.trim().split(/\s+/));
}
