import fs from 'node:fs';
import type { Socket } from 'node:net';
import { descendantsOf } from './end-supervisor.ts';

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
  return listeningPorts(pids).length > 0;
}

/** Returns the TCP ports on which these processes listen. None without /proc. */
function listeningPorts(pids: readonly number[]): number[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  const rows = LISTS.flatMap(readRows).filter((fields) => fields[3] === LISTEN && sockets.has(fields[9]));
  return [...new Set(rows.map(([, local = '']) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)))];
}

/** Returns the TCP ports on which a command below a process listens, with all that it started. */
export function portsOfCommand(ancestor: number, command: string): number[] {
  const started = descendantsOf(ancestor).filter((pid) => commandLineOf(pid).includes(command));
  return listeningPorts(started.flatMap((pid) => [pid, ...descendantsOf(pid)]));
}

function commandLineOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It has ended.
  }
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
