/*
 * The job control of a shell: the system stops a process in the background, as after `command &`, when it reads from the terminal or
 * changes its mode. Neither Bun nor Node can tell where a process is, so the C library is asked.
 */
import { dlopen } from 'bun:ffi';

export type JobControl = {
  /** Whether this process may use its terminal; true where there is no job control, because nothing stops the process then. */
  isForeground: () => boolean;
  /** Ends the process as it is, without a change to the terminal. It returns where there is no job control. */
  exitInBackground: (exitCode: number) => void;
};

/** Each system's names of its C library; Linux has two kinds. Windows has no job control. */
const libraries: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'],
  darwin: ['libSystem.B.dylib'],
};

function openLibrary(name: string) {
  try {
    const { symbols } = dlopen(name, {
      getpgrp: { args: [], returns: 'i32' },
      tcgetpgrp: { args: ['i32'], returns: 'i32' },
      _exit: { args: ['i32'], returns: 'void' },
    });
    return symbols;
  } catch {
    return undefined;
  }
}

/** Loads nothing before the first call. */
export function createJobControl(platform: NodeJS.Platform): JobControl {
  let library: ReturnType<typeof openLibrary>;
  let isOpened = false;
  const open = () => {
    if (!isOpened) for (const name of libraries[platform] ?? []) library ??= openLibrary(name);
    isOpened = true;
    return library;
  };
  return {
    isForeground() {
      const opened = open();
      if (!opened) return true;
      const foreground = [0, 1, 2].map(descriptor => opened.tcgetpgrp(descriptor)).find(group => group > 0);
      return foreground === undefined || foreground === opened.getpgrp();
    },
    exitInBackground: exitCode => open()?._exit(exitCode),
  };
}
