// The greeter on grpc-js, with server reflection. See greeter.py: it starts, means names, counts and ends alike.
//
//     node greeter.js PROTO

"use strict";

const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");
const { ReflectionService } = require("@grpc/reflection");

const REPLIES = 5;
const SLEEPER = "sleep";
const SLEEP_MS = 60_000;
const MISSING = "missing";
const MISSING_MESSAGE = "niemand heißt „missing“: 100% sicher ☂";

const seen = { calls: {}, statuses: {} };

function count(group, name) {
  seen[group][name] = (seen[group][name] ?? 0) + 1;
}

/** Goes on with `act` unless the name means that the call fails, or that nothing comes. */
function actOn(name, fail, act) {
  if (name === MISSING) {
    count("statuses", "NOT_FOUND");
    fail({ code: grpc.status.NOT_FOUND, details: MISSING_MESSAGE });
  } else if (name === SLEEPER) {
    // A server that ends does not wait for it.
    setTimeout(act, SLEEP_MS).unref();
  } else {
    act();
  }
}

function greeting(name) {
  return { message: `Hello ${name}` };
}

const greeter = {
  SayHello(call, answer) {
    count("calls", "SayHello");
    actOn(call.request.name, answer, () => {
      count("statuses", "OK");
      answer(null, greeting(call.request.name));
    });
  },

  SayHellos(call) {
    count("calls", "SayHellos");
    const { name } = call.request;
    actOn(name, (error) => call.emit("error", error), () => {
      for (let number = 1; number <= REPLIES; number += 1) {
        call.write({ message: `Hello ${name}, ${number} of ${REPLIES}` });
      }
      count("statuses", "OK");
      call.end();
    });
  },

  SayHelloCS(call, answer) {
    count("calls", "SayHelloCS");
    const names = [];
    call.on("data", ({ name }) => actOn(name, answer, () => names.push(name)));
    call.on("end", () => {
      count("statuses", "OK");
      answer(null, greeting(names.join(", ")));
    });
  },

  SayHelloBidi(call) {
    count("calls", "SayHelloBidi");
    const fail = (error) => call.emit("error", error);
    call.on("data", ({ name }) => actOn(name, fail, () => call.write(greeting(name))));
    call.on("end", () => {
      count("statuses", "OK");
      call.end();
    });
  },
};

function main([proto]) {
  const definition = loader.loadSync(proto);
  const server = new grpc.Server();
  server.addService(grpc.loadPackageDefinition(definition).helloworld.Greeter.service, greeter);
  new ReflectionService(definition).addToServer(server);

  const end = () => {
    console.log(JSON.stringify(seen));
    process.exit(0);
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  process.stdin.on("end", end).resume();

  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) {
      throw error;
    }
    console.log(`listening on 127.0.0.1:${port}`);
  });
}

main(process.argv.slice(2));
