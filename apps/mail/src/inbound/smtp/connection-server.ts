import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { networkOwners, type Budget, type NetworkKind } from '@postroom/limits';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';

const enhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /;
const shuttingDown = 'Server shutting down';
const tooManyClients = '4.7.0 Too many connections, try again in a moment';

/** The connection of smtp-server, with our reply codes and short turns. */
class Connection extends SMTPConnection {
  /**
   * Takes one piece of the socket a turn of the event loop: the system may have two megabytes at once, and the parser
   * spends milliseconds on each piece of short lines.
   */
  override _createParser(): ReturnType<SMTPConnection['_createParser']> {
    const parser = super._createParser();
    const write = parser._write.bind(parser);
    parser._write = (chunk, encoding, next) =>
      write(chunk, encoding, (error) => setImmediate(next, error));
    return parser;
  }

  /**
   * smtp-server derives the enhanced status code of a reply from its code alone, which gives a relaying
   * attempt the code of an unknown mailbox: a text that begins with a code of its own keeps it.
   */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (data === shuttingDown) super.send(code, `4.3.2 ${shuttingDown}`, false);
    else if (typeof data === 'string' && enhancedCode.test(data)) super.send(code, data, false);
    else super.send(code, data, context);
  }
}

/** smtp-server with our own connection class, and places for clients. */
export class ConnectionServer extends SMTPServer {
  constructor(
    private readonly places: Budget<NetworkKind>,
    options: SMTPServerOptions,
  ) {
    super(options);
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, options ?? undefined);
    this.connections.add(connection);
    connection.on('error', (error: Error) => this.emit('error', error));
    connection.init();
    try {
      socket.once('close', this.places.take(networkOwners(socket.remoteAddress ?? '')));
    } catch {
      connection.send(421, tooManyClients);
    }
  }

  /** Disconnects the clients that are not in the middle of a message. */
  dismiss(isBusy: (sessionId: string) => boolean): void {
    for (const connection of this.connections) {
      if (!isBusy(connection.session.id)) connection.send(421, shuttingDown);
    }
  }
}
