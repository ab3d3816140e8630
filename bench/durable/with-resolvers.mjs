// Promise.withResolvers, which Node 20 does not have and Restate's SDK calls.

Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};
