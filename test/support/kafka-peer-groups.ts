import { CODES } from './kafka-peer-wire.ts';

interface Joined {
  readonly code: number;
  readonly generation: number;
  readonly protocol: string;
  readonly leader: string;
  readonly member: string;
  /** Sent to the leader only. */
  readonly members: readonly { readonly id: string; readonly metadata: Buffer }[];
}

interface Synced {
  readonly code: number;
  readonly assignment: Buffer;
}

interface Member {
  readonly id: string;
  sessionMs: number;
  protocols: readonly { readonly name: string; readonly metadata: Buffer }[];
  timer: NodeJS.Timeout | null;
  joining: ((joined: Joined) => void) | null;
  syncing: ((synced: Synced) => void) | null;
  assignment: Buffer;
}

const NO_BYTES = Buffer.alloc(0);

/** One consumer group: members, generations and assigned partitions. */
export class PeerGroup {
  generation = 0;
  #state: 'empty' | 'preparing' | 'completing' | 'stable' = 'empty';
  readonly #members = new Map<string, Member>();
  #leader = '';
  #protocol = '';
  #giveUp: NodeJS.Timeout | null = null;
  #named = 0;

  join(request: {
    readonly member: string;
    readonly sessionMs: number;
    readonly rebalanceMs: number;
    readonly protocols: Member['protocols'];
  }): Promise<Joined> {
    const { promise, resolve } = Promise.withResolvers<Joined>();
    if (request.member !== '' && !this.#members.has(request.member)) {
      resolve({
        code: CODES.unknownMember,
        generation: -1,
        protocol: '',
        leader: '',
        member: request.member,
        members: [],
      });
      return promise;
    }
    const id = request.member === '' ? `member-${(this.#named += 1)}-${process.pid}` : request.member;
    const member: Member = this.#members.get(id) ?? {
      id,
      sessionMs: request.sessionMs,
      protocols: [],
      timer: null,
      joining: null,
      syncing: null,
      assignment: NO_BYTES,
    };
    member.sessionMs = request.sessionMs;
    member.protocols = request.protocols;
    member.joining = resolve;
    this.#members.set(id, member);
    if (member.timer !== null) clearTimeout(member.timer);
    member.timer = null;
    this.#prepare(request.rebalanceMs);
    return promise;
  }

  sync(id: string, generation: number, assignments: ReadonlyMap<string, Buffer>): Promise<Synced> {
    const { promise, resolve } = Promise.withResolvers<Synced>();
    const code = this.#refusal(id, generation, this.#state === 'preparing');
    const member = this.#members.get(id);
    if (code !== CODES.none || member === undefined) {
      resolve({ code, assignment: NO_BYTES });
      return promise;
    }
    this.#heard(member);
    if (this.#state === 'stable') resolve({ code: CODES.none, assignment: member.assignment });
    else {
      member.syncing = resolve;
      if (id === this.#leader) this.#settle(assignments);
    }
    return promise;
  }

  heartbeat(id: string, generation: number): number {
    const member = this.#members.get(id);
    if (member !== undefined) this.#heard(member);
    return this.#refusal(id, generation, this.#state !== 'stable');
  }

  mayCommit(id: string, generation: number): number {
    if (generation < 0 && this.#members.size === 0) return CODES.none;
    const member = this.#members.get(id);
    if (member !== undefined) this.#heard(member);
    return this.#refusal(id, generation, this.#state === 'completing');
  }

  leave(id: string): number {
    const member = this.#members.get(id);
    if (member === undefined) return CODES.unknownMember;
    this.#remove(member);
    return CODES.none;
  }

  /** Forgets its members, as a restarted coordinator does. */
  end(): void {
    if (this.#giveUp !== null) clearTimeout(this.#giveUp);
    for (const member of this.#members.values()) if (member.timer !== null) clearTimeout(member.timer);
    this.#members.clear();
    this.#state = 'empty';
  }

  #refusal(id: string, generation: number, isRebalancing: boolean): number {
    if (!this.#members.has(id)) return CODES.unknownMember;
    if (generation !== this.generation) return CODES.illegalGeneration;
    return isRebalancing ? CODES.rebalancing : CODES.none;
  }

  #heard(member: Member): void {
    if (member.timer !== null) clearTimeout(member.timer);
    member.timer = setTimeout(() => this.#remove(member), member.sessionMs);
  }

  #remove(member: Member): void {
    if (member.timer !== null) clearTimeout(member.timer);
    if (this.#members.get(member.id) !== member) return;
    this.#members.delete(member.id);
    member.syncing?.({ code: CODES.unknownMember, assignment: NO_BYTES });
    if (this.#members.size === 0) {
      this.#state = 'empty';
      return;
    }
    this.#prepare(member.sessionMs);
  }

  #prepare(rebalanceMs: number): void {
    if (this.#state !== 'preparing') {
      this.#state = 'preparing';
      for (const member of this.#members.values()) {
        member.syncing?.({ code: CODES.rebalancing, assignment: NO_BYTES });
        member.syncing = null;
      }
      if (this.#giveUp !== null) clearTimeout(this.#giveUp);
      this.#giveUp = setTimeout(() => {
        for (const member of this.#members.values()) if (member.joining === null) this.#remove(member);
      }, rebalanceMs);
    }
    if ([...this.#members.values()].every(({ joining }) => joining !== null)) this.#begin();
  }

  #begin(): void {
    if (this.#giveUp !== null) clearTimeout(this.#giveUp);
    this.generation += 1;
    this.#state = 'completing';
    const members = [...this.#members.values()];
    if (!this.#members.has(this.#leader)) this.#leader = members[0]!.id;
    this.#protocol = members[0]!.protocols[0]?.name ?? '';
    for (const member of members) {
      const descriptions = members.map(({ id, protocols }) => ({
        id,
        metadata: protocols.find(({ name }) => name === this.#protocol)?.metadata ?? NO_BYTES,
      }));
      member.joining?.({
        code: CODES.none,
        generation: this.generation,
        protocol: this.#protocol,
        leader: this.#leader,
        member: member.id,
        members: member.id === this.#leader ? descriptions : [],
      });
      member.joining = null;
      this.#heard(member);
    }
  }

  #settle(assignments: ReadonlyMap<string, Buffer>): void {
    this.#state = 'stable';
    for (const member of this.#members.values()) {
      member.assignment = assignments.get(member.id) ?? NO_BYTES;
      member.syncing?.({ code: CODES.none, assignment: member.assignment });
      member.syncing = null;
    }
  }
}
