import type { RecordChange } from '../../../commands/records/record-writer.ts';
import { statedChange } from '../../../commands/records/stated-change.ts';
import { type InputLine, MAX_LINE_BYTES } from './read-lines.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The change that a line states, or why it states none. */
export const parseChange = ({ bytes, length, number }: InputLine): RecordChange | string => {
  if (length > MAX_LINE_BYTES) return `the line is ${length} bytes long; at most ${MAX_LINE_BYTES} are read`;
  const isMarked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return statedChange(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, 'line');
};
