import { startKurrentPeer } from '../../test/support/kurrent-peer.ts';

const peer = await startKurrentPeer();
process.stdout.write(`http://127.0.0.1:${peer.port}\n`);
process.once('SIGTERM', () => void peer.stop());
