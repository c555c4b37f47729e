/** The address cannot be bound; the message names the setting. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

interface Listener {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly host: string; readonly port: number }>;
}

/** Listens; resolves to the base URL. Throws `AddressRefused`. */
export async function listenOn(listener: Listener, setting: 'CIVIC_HTTP' | 'CIVIC_OPS', host: string, port: number): Promise<string> {
  try {
    const bound = await listener.listen({ host, port });
    const name = bound.host.includes(':') ? `[${bound.host}]` : bound.host;
    return `http://${name}:${bound.port}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be had (${code ?? message})`;
    throw new AddressRefused(`${host}:${port} ${reason}: set ${setting}_HOST and ${setting}_PORT to a free address; port 0 picks one`);
  }
}
