export function ensureProgram(): Promise<void>;
