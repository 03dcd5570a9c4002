/* Asks the user at the terminal for one line. A secret is read without echo. */
import { OperationError } from './io.ts';

type Terminal = Pick<NodeJS.ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

const keys = { interrupt: '\x03', end: '\x04', backspace: '\b', erase: '\x7f', clear: '\x15' };

/** @throws OperationError if the user gives up (Ctrl+C, Ctrl+D) */
export function ask(
  terminal: Terminal,
  write: (text: string) => void,
  question: string,
  isSecret: boolean,
): Promise<string> {
  // Set before the question, so that characters typed immediately are not shown.
  if (isSecret) terminal.setRawMode(true);
  write(question);
  return new Promise((resolve, reject) => {
    let line: string[] = [];
    const finish = (settle: () => void): void => {
      terminal.off('data', onData);
      if (isSecret) {
        terminal.setRawMode(false);
        write('\n');
      }
      terminal.pause();
      settle();
    };
    // A terminal in raw mode interprets no keys, so this function handles the editing keys.
    const onData = (chunk: Buffer | string): void => {
      for (const key of chunk.toString()) {
        const hasGivenUp = key === keys.interrupt || (key === keys.end && line.length === 0);
        if (hasGivenUp) finish(() => reject(new OperationError('no input')));
        else if (key === '\r' || key === '\n') finish(() => resolve(line.join('')));
        if (hasGivenUp || key === '\r' || key === '\n') return;
        if (key === keys.backspace || key === keys.erase) line.pop();
        else if (key === keys.clear) line = [];
        else if (key >= ' ') line.push(key);
      }
    };
    terminal.on('data', onData);
    terminal.resume();
  });
}
