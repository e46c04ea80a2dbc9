import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { SMTPServer } from 'smtp-server';

const enhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /;
const shuttingDown = 'Server shutting down';

/**
 * smtp-server derives the enhanced status code of a reply from its code alone, which gives a relaying
 * attempt the code of an unknown mailbox: a text that begins with a code of its own keeps it.
 */
class Connection extends SMTPConnection {
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (data === shuttingDown) super.send(code, `4.3.2 ${shuttingDown}`, false);
    else if (typeof data === 'string' && enhancedCode.test(data)) super.send(code, data, false);
    else super.send(code, data, context);
  }
}

/** smtp-server with our own connection class. */
export class ConnectionServer extends SMTPServer {
  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, options ?? undefined);
    this.connections.add(connection);
    connection.on('error', (error: Error) => this.emit('error', error));
    connection.init();
  }

  /** Disconnects the clients that are not in the middle of a message. */
  dismiss(isBusy: (sessionId: string) => boolean): void {
    for (const connection of this.connections) {
      if (!isBusy(connection.session.id)) connection.send(421, shuttingDown);
    }
  }
}
