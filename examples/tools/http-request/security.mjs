// Lets requests that only read public addresses pass, and asks a person about all others.
import { readFileSync } from 'node:fs';

const READING = ['GET', 'HEAD', 'OPTIONS'];

function judge({ url: asked, method = 'GET', private: isPrivate = false }) {
  const url = URL.canParse(asked) ? new URL(asked) : undefined;
  const question = { permissionType: 'http', permissionKey: `${method} ${url?.origin}${isPrivate ? ' private' : ''}` };
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return { ...question, allowed: false, requiresApproval: false, message: 'the address is not http or https' };
  }
  if (READING.includes(method) && !isPrivate) return { ...question, allowed: true, requiresApproval: false };
  const where = isPrivate ? `${url.origin}, which may be on a private network` : url.origin;
  return { ...question, allowed: false, requiresApproval: true, message: `Send ${method} to ${where}` };
}

process.stdout.write(JSON.stringify(judge(JSON.parse(readFileSync(0, 'utf8')))));
