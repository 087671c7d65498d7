import { hash } from 'node:crypto';
import type { HashText } from '@switchyard/shared/protocol/extend-digest';

/** Node's native SHA-256: for the length of an event three times as fast as one in JavaScript. */
export const hashText: HashText = (text) => hash('sha256', text, 'hex');
