/** What an operator of a new installation runs to read a first real source. */
export const FIRST_SYNC = 'npm run --silent civic -- sources sync legistar --client cityofdallas';
