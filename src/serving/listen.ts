import { BadSetting } from '../settings.ts';

interface Listener {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly host: string; readonly port: number }>;
}

/** Resolves to the base URL. Throws `BadSetting` for an address that cannot be bound. */
export async function listenOn(listener: Listener, setting: 'CIVIC_HTTP' | 'CIVIC_OPS', host: string, port: number): Promise<string> {
  try {
    const bound = await listener.listen({ host, port });
    const name = bound.host.includes(':') ? `[${bound.host}]` : bound.host;
    return `http://${name}:${bound.port}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be had (${code ?? message})`;
    throw new BadSetting(`${host}:${port} ${reason}: set ${setting}_HOST and ${setting}_PORT to a free address; port 0 picks one`);
  }
}
