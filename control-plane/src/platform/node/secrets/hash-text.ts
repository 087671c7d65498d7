import { hash } from 'node:crypto';
import type { HashText } from '@switchyard/shared/protocol/extend-digest';

/** Node's own SHA-256: three times as fast for the length of an event as one in script. */
export const hashText: HashText = (text) => hash('sha256', text, 'hex');
