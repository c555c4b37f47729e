import { parentPort } from 'node:worker_threads';
import { openTcpProxy, serverAt, type TcpProxy } from '../support/tcp-proxy.ts';
import type { LinkMessage } from './links.ts';

/** The proxies of a soak, in a thread apart from the busy event loop of the clients: see `links.ts`. */
const proxies: TcpProxy[] = [];
let server = '';

async function obey({ call, link, argument }: LinkMessage): Promise<void> {
  if (call === 'server') {
    server = String(argument);
    return;
  }
  if (call === 'open') {
    const opened = await openTcpProxy(() => serverAt(server));
    proxies[link] = opened;
    parentPort!.postMessage(opened.port);
    return;
  }
  const proxy = proxies[link]!;
  if (call === 'cut') proxy.cut();
  if (call === 'stall') proxy.stall();
  if (call === 'flow') proxy.flow();
  if (call === 'slow') proxy.slow(Number(argument));
  if (call === 'halfOpen') proxy.halfOpen(argument === 'near' ? 'near' : 'far');
}

parentPort!.on('message', (message: LinkMessage) => void obey(message));
