import type { ReadyScript } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, reason, say, together } from '../../../control-plane/scripted-provider/step.ts';

const LINE_CHARS = 60_000;

/** Would make elements, load a picture and run a script wherever it is taken for HTML. */
export const hostileMarkup = `<img src=x onerror="alert('in')"><script>alert('in')</script><b id="injected">bold</b>`;
/** Turns the reading direction around for what follows it. */
const turnedText = '\u202egnp.exe';
export const hostileTitle = `case:hostile ${hostileMarkup} ${turnedText}`;
export const hostileDescription = `${hostileMarkup}\n${'x'.repeat(LINE_CHARS)}`;

/** Markdown with links that would run scripts, a picture that would tell, and markup. */
export const hostileMarkdown = `${hostileMarkup}

[run me](javascript:alert('in')) and [open me](data:text/html,<script>alert(1)</script>)

![pixel](https://tracker.invalid/pixel.png)

<iframe src="/"></iframe>

<!-- only agents read this -->

[//]: # (nor would people see this)

It is **bold** and \`code\`.`;

const terminalOutput = `\u001b[31mred\u001b[0m \u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007 ${hostileMarkup} \u0007${turnedText}`;
/** What is left of it on paper. */
export const plainOutput = `red link ${hostileMarkup} ${turnedText.slice(1)}`;

/** Prints what must not be obeyed, then a line too long for any screen, then says as much. */
export const hostileAgent: ReadyScript = ({ stepIndex }) => {
  const encoded = Buffer.from(terminalOutput).toString('base64');
  // The shell sees letters only.
  if (stepIndex === 0) return together(reason(hostileMarkup), exec(`echo ${encoded} | base64 -d`));
  if (stepIndex === 1)
    return exec(`head -c ${LINE_CHARS} /dev/zero | tr '\\0' x; echo a > note.txt`);
  return say(`${hostileMarkdown}\n\nSWITCHYARD_STATUS: DONE`);
};
