package compat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The standard streams of one tool after the other. Closing them does nothing. */
final class Console {
    private Console() {}

    /** What a tool reads. */
    static final class Input extends InputStream {
        private volatile InputStream bytes = InputStream.nullInputStream();

        void begin(byte[] all) {
            bytes = new ByteArrayInputStream(all);
        }

        @Override
        public int read() throws IOException {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int from, int count) throws IOException {
            return bytes.read(into, from, count);
        }

        @Override
        public int available() throws IOException {
            return bytes.available();
        }
    }

    /** What a tool writes. A thread that has ended the tool is not heard any more: in a process it would be gone. */
    static final class Output extends OutputStream {
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Thread unheard;

        synchronized byte[] take() {
            byte[] found = bytes.toByteArray();
            bytes = new ByteArrayOutputStream();
            unheard = null;
            return found;
        }

        synchronized void silence(Thread thread) {
            unheard = thread;
        }

        @Override
        public synchronized void write(int one) {
            if (Thread.currentThread() != unheard) {
                bytes.write(one);
            }
        }

        @Override
        public synchronized void write(byte[] from, int at, int count) {
            if (Thread.currentThread() != unheard) {
                bytes.write(from, at, count);
            }
        }
    }
}
